import http from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { deployment, setDeployment } from "#server/domain/deployment/deployment.ts"
import { startTestApp, type TestApp } from "#test/fixtures/app.ts"
import { endpointUrl, isPublic, readUrl, resolver } from "./destination.ts"
import { openAgent, post } from "./post.ts"

let app: TestApp
let before: typeof deployment
beforeAll(async () => {
  app = await startTestApp({ VOUCH_ROLE: "web" })
  before = deployment
  return () => app.stop()
})

/** Allows these networks, like an operator. */
const allow = (networks: string) =>
  setDeployment({ ...before, settings: { ...before.settings, VOUCH_WEBHOOK_NETWORKS: networks } })
beforeEach(() => allow(""))
const { resolve } = resolver
afterEach(() => {
  resolver.resolve = resolve
  setDeployment(before)
})

test.each([
  ["8.8.8.8", true],
  ["2606:4700:4700::1111", true],
  ["::ffff:8.8.8.8", true],
  ["64:ff9b::808:808", true],
  ["127.0.0.1", false],
  ["0.0.0.0", false],
  ["10.1.2.3", false],
  ["172.16.0.1", false],
  ["192.168.1.1", false],
  ["169.254.169.254", false],
  ["100.64.0.1", false],
  ["192.0.0.8", false],
  ["192.0.2.1", false],
  ["198.18.0.1", false],
  ["224.0.0.1", false],
  ["255.255.255.255", false],
  ["240.0.0.1", false],
  ["::1", false],
  ["::", false],
  ["::ffff:127.0.0.1", false],
  ["::ffff:a9fe:a9fe", false],
  ["64:ff9b::7f00:1", false],
  ["64:ff9b:1::7f00:1", false],
  ["::127.0.0.1", false],
  ["2002:7f00:1::", false],
  ["2001:0:7f00:1::", false],
  ["fe80::1", false],
  ["fe80::1%eth0", false],
  ["fc00::1", false],
  ["fd12:3456::1", false],
  ["fec0::1", false],
  ["ff02::1", false],
  ["2001:db8::1", false],
  ["100::1", false],
  // Public addresses of Azure's own services.
  ["168.63.129.16", false],
  ["::ffff:168.63.129.16", false],
  ["64:ff9b::a83f:8110", false],
  // Not allocated to any registry.
  ["4000::1", false],
  ["1000::1", false],
  ["2d00::1", false],
  ["3000::1", false],
  ["5f00::1", false],
  ["9999::1", false],
  ["2a01:4f8::1", true],
  ["2001:4860:4860::8888", true],
  ["2c0f:f248::1", true],
  ["2410::1", true],
])("whether %s is on the public Internet: %s", (address, expected) => {
  expect(isPublic(address)).toBe(expected)
})

test.each([
  ["ftp://example.com/"],
  ["javascript:alert(1)"],
  ["https://"],
  ["example.com"],
  ["https://exa mple.com/"],
  ["https://１２７.0.0.1/"],
  [`https://example.com/${"x".repeat(2000)}`],
])("%s cannot be an endpoint's address", (text) => {
  expect(endpointUrl.safeParse(text).success).toBe(false)
})

test.each([
  ["http://example.com/", /allow http in a network with VOUCH_WEBHOOK_NETWORKS/],
  ["https://user@example.com/", /user or a password/],
  ["https://:pass@example.com/", /user or a password/],
  ["https://example.com/#x", /without #/],
  ["https://127.0.0.1/", /on the public Internet/],
  ["https://localhost/", /on the public Internet/],
  ["https://LOCALHOST:8443/hook", /on the public Internet/],
  ["https://hooks.localhost./", /on the public Internet/],
  ["https://2130706433/", /on the public Internet/],
  ["https://0x7f.1/", /on the public Internet/],
  ["https://0177.0.0.1/", /on the public Internet/],
  ["https://%31%32%37.0.0.1/", /on the public Internet/],
  ["https://[::1]/", /on the public Internet/],
  ["https://[::ffff:127.0.0.1]/", /on the public Internet/],
])("the address %s is refused", (url, words) => {
  expect(endpointUrl.safeParse(url).success).toBe(true)
  expect(() => readUrl(url)).toThrow(words)
  expect(() => readUrl(url)).toThrow(/^url: must be an https address/)
})

test("addresses are normalized", () => {
  expect(readUrl("HTTPS://Example.COM:443/a/../Hooks?x=1")).toBe("https://example.com/Hooks?x=1")
})

/** Where the request lands: a server that counts requests. */
async function trap(answer: http.RequestListener = (_, response) => void response.end()) {
  let hits = 0
  const server = http.createServer((request, response) => {
    hits++
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    hits: () => hits,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
async function send(url: string) {
  const agent = openAgent(url, 1)
  try {
    return await post(agent, url, { headers: {}, body: "{}", at: new Date() })
  } finally {
    agent.destroy()
  }
}
type Answers = { address: string; family: number }[]
/** A DNS that returns the next of these answers each time, and then repeats the last. */
function answering(...answers: Answers[]) {
  let asked = 0
  resolver.resolve = async () => answers[Math.min(asked++, answers.length - 1)]!
  return { asked: () => asked }
}
const loopback = { address: "127.0.0.1", family: 4 }

describe("connecting to an endpoint", () => {
  test("a name that resolves to this machine is refused, whatever it resolved to before", async () => {
    const server = await trap()
    answering([loopback])
    expect((await send(`https://hooks.example.com:${server.port}/`)).error).toMatch(/not on the public Internet/)
    expect((await send(`http://hooks.example.com:${server.port}/`)).error).toMatch(/not on the public Internet/)
    // One of two addresses, and the mapped form.
    answering([{ address: "203.0.113.1", family: 4 }, loopback])
    expect((await send(`https://hooks.example.com:${server.port}/`)).error).toMatch(/not on the public Internet/)
    answering([{ address: "::ffff:127.0.0.1", family: 6 }])
    expect((await send(`https://hooks.example.com:${server.port}/`)).error).toMatch(/not on the public Internet/)
    answering([])
    expect((await send(`https://hooks.example.com:${server.port}/`)).error).toMatch(/no address/)
    expect(server.hits()).toBe(0)
    server.close()
  })

  test("the checked address is the one that is connected to, because the name is resolved once", async () => {
    const server = await trap()
    allow("127.0.0.1")
    const names = answering([loopback], [{ address: "127.0.0.2", family: 4 }])
    expect(await send(`http://hooks.example.com:${server.port}/`)).toMatchObject({
      statusCode: 200,
      error: null,
    })
    expect(names.asked()).toBe(1)
    expect((await send(`http://hooks.example.com:${server.port}/`)).error).toMatch(/not on the public Internet/)
    expect(server.hits()).toBe(1)
    server.close()
  })

  test("a literal address is refused as well", async () => {
    const server = await trap()
    expect((await send(`http://127.0.0.1:${server.port}/`)).error).toMatch(/not on the public Internet/)
    expect((await send(`http://[::ffff:127.0.0.1]:${server.port}/`)).error).toMatch(/not on the public Internet/)
    expect(server.hits()).toBe(0)
    server.close()
  })

  test("plain HTTP works only in networks that the operator allows", async () => {
    answering([{ address: "8.8.8.8", family: 4 }])
    allow("127.0.0.1")
    expect((await send("http://hooks.example.com/")).error).toMatch(/needs https/)
  })

  test("redirects are not followed", async () => {
    const inner = await trap()
    const outer = await trap((_, response) => {
      response.writeHead(307, { location: `http://127.0.0.1:${inner.port}/` }).end()
    })
    allow("127.0.0.0/8")
    expect(await send(`http://127.0.0.1:${outer.port}/`)).toMatchObject({
      statusCode: 307,
      error: expect.stringMatching(/Redirects are not followed/),
    })
    expect(inner.hits()).toBe(0)
    inner.close()
    outer.close()
  })
})

describe("a consumer's response", () => {
  beforeEach(() => allow("127.0.0.0/8"))

  test("an endless body is cut, and the stored part is valid text", async () => {
    const server = await trap((_, response) => {
      response.writeHead(500)
      response.write("\u0000\u001b[31mno\n")
      const timer = setInterval(() => response.write("x".repeat(65_536)), 1)
      response.on("close", () => clearInterval(timer))
    })
    const { statusCode, response, latency_ms } = await send(`http://127.0.0.1:${server.port}/`)
    expect([statusCode, response!.length]).toEqual([500, 1000])
    expect(response).toMatch(/^\[31mno\nx+$/)
    expect(latency_ms).toBeGreaterThanOrEqual(0)
    server.close()
  })

  test.each([
    ["7", 7],
    ["-1", 0],
    ["nonsense", null],
    ["999999999", 86_400],
    [new Date(Date.now() - 5000).toUTCString(), 0],
  ])("Retry-After %s means %s s", async (header, seconds) => {
    const server = await trap((_, response) => void response.writeHead(503, { "retry-after": header }).end())
    expect((await send(`http://127.0.0.1:${server.port}/`)).retryAfter_s).toBe(seconds)
    server.close()
  })

  test("a response that is not HTTP, or missing, gets a message from Vouch", async () => {
    const server = await trap((request) => void request.socket.end("SSH-2.0-OpenSSH_9.2\r\n"))
    expect((await send(`http://127.0.0.1:${server.port}/`)).error).toBe("Its answer is not HTTP.")
    server.close()
    expect((await send(`http://127.0.0.1:${server.port}/`)).error).toMatch(/connection was refused|broke/)
  })
})
