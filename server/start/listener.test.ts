import { type AddressInfo, connect } from "node:net"
import { afterAll, beforeAll, expect, test } from "vitest"
import { connectionLimit } from "#server/http/connections.ts"
import { createHttpServer } from "#server/http/server.ts"
import { WaitingRequests } from "#server/http/waiting-requests.ts"
import { startTestApp, type TestApp, waitFor } from "#test/fixtures/app.ts"
import { sendRaw } from "#test/fixtures/raw.ts"

let app: TestApp
let port: number

beforeAll(async () => {
  app = await startTestApp({ VOUCH_ROLE: "web" })
  port = Number(new URL(app.origin).port)
})
afterAll(async () => {
  expect((await app.request({ method: "GET", path: "/health" })).status).toBe(200)
  await app.stop()
})

/** The response is one of our errors: status line, headers and the error object. */
function expectRefusal(answer: string, status: number, code: string): void {
  const [head, body] = answer.split("\r\n\r\n") as [string, string]
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  const requestId = /^x-request-id: (req_\w+)\r?$/im.exec(head)?.[1]
  expect(JSON.parse(body)).toEqual({ error: code, detail: expect.any(String), request_id: requestId })
  expect(head).toMatch(/^strict-transport-security: max-age=/im)
}

const get = (target: string, headers: string) => `GET ${target} HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`

test.each([
  ["GET", "/usage?a=1", "/v1/usage"],
  ["POST", "/kyc/start", "/v1/kyc/start"],
  ["GET", "/attestation/att_1", "/v1/attestation/att_1"],
  ["GET", "/openapi.json", "/v1/openapi.json"],
])("%s %s without its version gets an error with the right path", async (method, path, right) => {
  const request = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\nConnection: close\r\n\r\n`
  const answer = await sendRaw(port, request)
  expectRefusal(answer, 404, "route_not_found")
  expect(answer).toContain(`Endpoints are below /v1: call ${right}.`)
})

test.each(["localhost", "LOCALHOST:3000", "127.0.0.1", "127.0.0.1:1", "[::1]", "[::1]:3000"])(
  "without a public address, the host %s is served",
  async (host) => {
    expect(await sendRaw(port, get("/v1/health", `Host: ${host}\r\n`))).toMatch(/^HTTP\/1.1 200 /)
  },
)

test.each(["vouch.example.com", "localhost.example.com", "127.0.0.1.nip.io", "localhost:3000@evil", "0.0.0.0", ""])(
  "without a public address, the host %j is refused, so that no name can be rebound to this machine",
  async (host) => {
    for (const target of ["/v1/health", "/", "/verify/x"]) {
      expectRefusal(await sendRaw(port, get(target, `Host: ${host}\r\n`)), 400, "malformed_request")
    }
  },
)

test("the connection limit is logged at the start", () => {
  expect(app.log.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ msg: "listening", connections: connectionLimit() }),
  )
})

test.each(["gzip, chunked", "chunked, chunked", "x, chunked", "chunked;a=1", "gzip\r\nTransfer-Encoding: chunked"])(
  "a body in the coding %j is refused, because only chunks would be decoded",
  async (coding) => {
    for (const path of ["/v1/kyc/start", "/v1/kyc/webhook", "/api/trpc/setup.look"]) {
      const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: ${coding}\r\n\r\n`
      const answer = await sendRaw(port, `${head}2\r\n{}\r\n0\r\n\r\n`)
      expectRefusal(answer, 400, "malformed_request")
    }
  },
)

test.each(["chunked", "CHUNKED"])("a body in the coding %s is read", async (coding) => {
  const head = `POST /v1/kyc/webhook HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: ${coding}\r\n\r\n`
  expectRefusal(await sendRaw(port, `${head}2\r\n{}\r\n0\r\n\r\n`), 401, "invalid_signature")
})

test("pipelined requests are answered in order", async () => {
  const requests = Array.from({ length: 99 }, (_, n) => `GET /v1/nope${n} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  const answers = await sendRaw(port, requests.join("") + get("/v1/nope99", "Host: localhost\r\n"))
  const paths = [...answers.matchAll(/not found: \/v1\/nope(\d+)/g)].map(([, n]) => Number(n))
  expect(paths).toEqual(Array.from({ length: 100 }, (_, n) => n))
})

test("thousands of pipelined requests close their connection, and others are served", async () => {
  const flood = "GET /v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(3000)
  const floods = Array.from({ length: 20 }, () => sendRaw(port, flood).catch(() => ""))
  expect((await app.request({ method: "GET", path: "/health" })).status).toBe(200)
  for (const answers of await Promise.all(floods)) {
    expect([...answers.matchAll(/HTTP\/1.1 200/g)].length).toBeLessThanOrEqual(100)
  }
})

test("a connection is not read beyond its hundred requests", async () => {
  const waiting = new WaitingRequests()
  let made = 0
  const server = createHttpServer((request, response) => {
    made++
    waiting.take(request.socket, response, "a")
  }, null)
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready))
  const { port } = server.address() as AddressInfo
  await sendRaw(port, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(3000)).catch(() => {})
  expect(made).toBe(101)
  server.close()
})

test("a request without a host gets our error", async () => {
  expectRefusal(await sendRaw(port, get("/v1/health", "")), 400, "malformed_request")
  expectRefusal(await sendRaw(port, "GET /v1/health HTTP/1.0\r\n\r\n"), 400, "malformed_request")
})

test.each(["http://localhost/v1/health", "https://localhost/v1/health", "*", "v1/health", "localhost:80"])(
  "the target %s is refused, because it is not a path",
  async (target) => {
    expectRefusal(await sendRaw(port, get(target, "Host: localhost\r\n")), 400, "malformed_request")
  },
)

test.each([
  ["no HTTP at all", "hello\r\n\r\n"],
  ["TLS on a plain port", Buffer.from("16030100050100000100", "hex")],
  ["a broken version", "GET /v1/health HTTP/9.9\r\nHost: localhost\r\n\r\n"],
  ["an unknown method", "BREW /v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n"],
  ["a space in the target", "GET /v1/hea lth HTTP/1.1\r\nHost: localhost\r\n\r\n"],
  ["a zero byte in the target", "GET /v1/\0 HTTP/1.1\r\nHost: localhost\r\n\r\n"],
  ["a header without a colon", "GET /v1/health HTTP/1.1\r\nHost localhost\r\n\r\n"],
  ["a control character in a header", "GET /v1/health HTTP/1.1\r\nHost: localhost\r\nA: \x01\r\n\r\n"],
  ["headers of 32 KiB", `GET /v1/health HTTP/1.1\r\nHost: localhost\r\nA: ${"a".repeat(32_768)}\r\n\r\n`],
  ["a target of 32 KiB", `GET /v1/${"a".repeat(32_768)} HTTP/1.1\r\nHost: localhost\r\n\r\n`],
  ["a length that is not a number", "POST /v1/kyc/webhook HTTP/1.1\r\nHost: localhost\r\nContent-Length: ten\r\n\r\n"],
  ["a negative length", "POST /v1/kyc/webhook HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n"],
  [
    "two lengths",
    "POST /v1/kyc/webhook HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
  ],
  [
    "a length and chunks",
    "POST /v1/kyc/webhook HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  ],
  [
    "a broken chunk",
    "POST /v1/kyc/webhook HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nab\r\n",
  ],
  ["a proxy's CONNECT", "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n"],
])("%s gets our error, and the connection ends", async (_name, bytes) => {
  expectRefusal(await sendRaw(port, bytes), 400, "malformed_request")
})

test("an unknown expectation gets our error", async () => {
  const answer = await sendRaw(port, get("/v1/health", "Host: localhost\r\nExpect: miracles\r\n"))
  expectRefusal(answer, 400, "malformed_request")
})

test("a request to upgrade the protocol is ignored", async () => {
  const upgrade = "Host: localhost\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
  const answer = await sendRaw(port, `GET /v1/health HTTP/1.1\r\n${upgrade}Connection: upgrade, close\r\n\r\n`)
  expect(answer).toMatch(/^HTTP\/1.1 200 /)
})

test.each(["websocket", "h2c", "anything"])(
  "a request to upgrade to %s is answered even if Next listens for upgrades",
  async (protocol) => {
    const server = createHttpServer((_request, response) => response.end("here"), null)
    server.on("upgrade", (_request, socket) => socket.end("taken"))
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    try {
      const wish = `Host: localhost\r\nConnection: upgrade, close\r\nUpgrade: ${protocol}\r\n`
      const answer = await sendRaw((server.address() as AddressInfo).port, `GET / HTTP/1.1\r\n${wish}\r\n`)
      expect(answer).toMatch(/^HTTP\/1.1 200 .*here/s)
    } finally {
      server.close()
    }
  },
)

test.each([
  ["Host", "Host: localhost\r\nHost: localhost\r\n"],
  ["hOST", "Host: localhost\r\nhOST: example.com\r\n"],
  ["Authorization", "Host: localhost\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\n"],
  ["Content-Type", "Host: localhost\r\nContent-Type: application/json\r\nContent-Type: text/plain\r\n"],
  ["Origin", "Host: localhost\r\nOrigin: http://localhost\r\nOrigin: https://example.com\r\n"],
])("two headers %s are refused, because a proxy may have read the other one", async (name, headers) => {
  for (const target of ["/v1/health", "/v1/usage", "/", "/api/trpc/health.get"]) {
    const answer = await sendRaw(port, get(target, headers))
    expectRefusal(answer, 400, "malformed_request")
    expect(answer).toContain(`${name}: send this header once.`)
  }
})

test("list headers may be repeated", async () => {
  const lists = "Accept: */*\r\nAccept: text/html\r\nPrefer: wait=1\r\nPrefer: respond-async\r\n"
  const forwarded = "X-Forwarded-For: 10.0.0.1\r\nX-Forwarded-For: 10.0.0.2\r\n"
  const answer = await sendRaw(port, get("/v1/health", `Host: localhost\r\n${lists}${forwarded}`))
  expect(answer).toMatch(/^HTTP\/1.1 200 /)
})

test.each(["localhost/a", "a@localhost", "local host", "localhost:99999", "[::1", "a,b", "[::g]", "\u00ff"])(
  "the invalid host %j is refused",
  async (host) => {
    for (const target of ["/v1/health", "/", "/api/auth/get-session"]) {
      expectRefusal(await sendRaw(port, get(target, `Host: ${host}\r\n`)), 400, "malformed_request")
    }
  },
)

test.each(["POST", "PUT", "DELETE", "PATCH"])("a page refuses %s without reading the body", async (method) => {
  const bytes = `${method} /verify/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`
  const answer = await sendRaw(port, bytes)
  expectRefusal(answer, 405, "method_not_allowed")
  expect(answer).toMatch(/^allow: GET, HEAD, OPTIONS\r?$/im)
})

test("an unreadable request is not answered before the one ahead of it", async () => {
  const upload = "POST /v1/kyc/webhook HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
  const first = "GET /v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n"
  // The first is still being answered. A client would take a 400 for its answer.
  expect(await sendRaw(port, `${first}hello\r\n\r\n`)).not.toMatch(/^HTTP\/1.1 400 /)
  expect(await sendRaw(port, `${first}${upload}zz\r\n`)).not.toMatch(/^HTTP\/1.1 400 /)
})

test("requests in one packet are answered in order", async () => {
  const one = (path: string, last: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${last}\r\n`
  const answers = await sendRaw(port, one("/v1/health", "") + one("/v1/usage", "Connection: close\r\n"))
  expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 401"])
})

test("a page carries a request id, HSTS and a policy; its address is not sent to other sites", async () => {
  const answer = await fetch(`${app.origin}/verify/x`)
  expect(answer.headers.get("x-request-id")).toMatch(/^req_/)
  expect(answer.headers.get("strict-transport-security")).toMatch(/^max-age=/)
  expect(answer.headers.get("referrer-policy")).toBe("no-referrer")
  expect(answer.headers.get("content-security-policy")).toMatch(/frame-ancestors 'none'/)
})

test.each(["", "/", "?x=1"])("/v1%s is an unknown path of the API", async (rest) => {
  const answer = await sendRaw(port, get(`/v1${rest}`, "Host: localhost\r\n"))
  expectRefusal(answer, 404, "route_not_found")
})

test.each(["CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n", "no HTTP at all\r\n\r\n"])(
  "%j is refused, and its connection ends even if the client keeps its side open",
  async (bytes) => {
    const server = createHttpServer(() => {}, null)
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
    const { port } = server.address() as AddressInfo
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true })
    socket.on("error", () => {}).resume()
    socket.write(bytes)
    const connections = () => new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)))
    await waitFor(async () => (await connections()) === 1, "the connection")
    await waitFor(async () => (await connections()) === 0, "its end")
    socket.destroy()
    server.close()
  },
)

test("the address of a page has a maximum length, and that of an API request has none", async () => {
  const long = "a".repeat(3000)
  expectRefusal(await sendRaw(port, get(`/${long}`, "Host: localhost\r\n")), 400, "malformed_request")
  expectRefusal(await sendRaw(port, get(`/v1/${long}`, "Host: localhost\r\n")), 404, "route_not_found")
})
