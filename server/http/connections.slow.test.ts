import { spawnSync } from "node:child_process"
import { createServer, type Server } from "node:http"
import { type AddressInfo, BlockList, connect, type Socket } from "node:net"
import { afterEach, expect, test } from "vitest"
import { Failure } from "#shared/errors.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { beginBody, readBody } from "./body.ts"
import { connectionLimit, isBeyondLimit, watchConnections } from "./connections.ts"
import { Reply } from "./reply.ts"

let server: Server
/** Requests that the server has begun to answer. */
let begun = 0
const sockets: Socket[] = []

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

async function listen(max: number, trusted: BlockList | null = null) {
  begun = 0
  server = createServer((request, response) => {
    if (isBeyondLimit(request)) return new Reply(response, "req_1", false).failure(noPlace)
    begun++
    if (request.url === "/waits") return
    if (request.url === "/body") {
      const bound = { limit: 100, network: "" }
      beginBody(request, bound)
      const reply = new Reply(response, "req_1", false)
      readBody(request, bound).then(
        () => response.end("here"),
        (error: Failure) => "code" in error && reply.failure(error),
      )
      return
    }
    if (request.url === "/streams") return void response.write(Buffer.alloc(16_000_000))
    if (request.url === "/endless") return void response.end(Buffer.alloc(16_000_000))
    response.end("here")
  })
  // An idle connection stays open. A closed one was refused.
  server.keepAliveTimeout = 0
  const connections = watchConnections(server, { max, trusted })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return connections
}

const noPlace = new Failure("server_busy", "Retry.", { endsConnection: true, retryAfterSeconds: 1 })

type Client = { socket: Socket; text: () => string; closed: () => boolean }

function open(from = "127.0.0.1", bytes = ""): Client {
  let text = ""
  const socket = connect({
    port: (server.address() as AddressInfo).port,
    host: "127.0.0.1",
    localAddress: from,
  })
  sockets.push(socket)
  socket.on("data", (chunk) => {
    text += chunk
  })
  socket.on("error", () => {})
  if (bytes !== "") socket.write(bytes)
  return { socket, text: () => text, closed: () => socket.closed }
}

const countOf = (server: Server) =>
  new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)))

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`
const isServed = (client: Client) => waitFor(async () => client.text().endsWith("here"), "an answer")
const isClosed = (client: Client) => waitFor(async () => client.closed(), "the connection to be closed")
async function isRefused(client: Client): Promise<void> {
  await isClosed(client)
  expect(client.text()).toMatch(/^HTTP\/1.1 503 .*Retry-After: 1\r\n.*Connection: close/is)
  expect(client.socket.errored).toBeNull()
}

test("one address has at most a quarter of the connections, and others are still served", async () => {
  await listen(16)
  const mine = Array.from({ length: 4 }, () => open("127.0.0.2", get("/waits")))
  await waitFor(async () => begun === 4, "all to be requested")
  await isRefused(open("127.0.0.2", get("/")))
  expect(mine.some((client) => client.closed())).toBe(false)
  await isServed(open("127.0.0.3", get("/")))
  mine[0]!.socket.destroy()
  await waitFor(async () => {
    const again = open("127.0.0.2", get("/"))
    await waitFor(async () => again.closed() || again.text() !== "", "an end")
    return again.text() !== ""
  }, "a place to be free again")
})

test("a trusted proxy carries many clients, and may have every connection", async () => {
  const trusted = new BlockList()
  trusted.addAddress("127.0.0.2", "ipv4")
  await listen(8, trusted)
  const proxied = Array.from({ length: 8 }, () => open("127.0.0.2", get("/waits")))
  await waitFor(async () => begun === 8, "all to be requested")
  await isRefused(open("127.0.0.2", get("/")))
  expect(proxied.some((client) => client.closed())).toBe(false)
})

test("if the address with the most connections is being served, an idle one of another is closed", async () => {
  const trusted = new BlockList()
  trusted.addAddress("127.0.0.2", "ipv4")
  await listen(8, trusted)
  for (let n = 0; n < 7; n++) open("127.0.0.2", get("/waits"))
  await waitFor(async () => begun === 7, "all to be requested")
  const idle = open("127.0.0.3", get("/"))
  await isServed(idle)
  await isServed(open("127.0.0.4", get("/")))
  await isClosed(idle)
})

test("all addresses together have no more connections than the limit", async () => {
  await listen(8)
  const all = [2, 3, 4, 5].flatMap((n) => [1, 2].map(() => open(`127.0.0.${n}`, get("/waits"))))
  await waitFor(async () => begun === 8, "all to be requested")
  await isRefused(open("127.0.0.6", get("/")))
  expect(all.some((client) => client.closed())).toBe(false)
})

const head = "POST / HTTP/1.1\r\nHost: localhost\r\n"
test.each([
  ["say nothing", ""],
  ["never end their head", head],
  ["never end their body", `${head}Content-Length: 9\r\n\r\n`],
  ["never read what they asked for", get("/endless")],
  ["never read the beginning of what they asked for", get("/streams")],
  ["never read what comes before what they asked for", get("/endless") + get("/waits")],
  ["are kept for later", get("/")],
])("addresses that %s do not block others: their oldest connections are closed", async (_what, bytes) => {
  await listen(16)
  const idle: Client[] = []
  for (const n of [2, 3, 4, 5]) {
    for (let i = 0; i < 4; i++) {
      const client = open(`127.0.0.${n}`, bytes)
      if (bytes.startsWith("GET /endless") || bytes.startsWith("GET /streams")) client.socket.pause()
      idle.push(client)
      await waitFor(async () => (await countOf(server)) === idle.length, "the connection")
      const requests = bytes.split("\r\n\r\n").length - 1
      await waitFor(async () => begun === requests * idle.length, "the requests")
    }
  }
  await isServed(open("127.0.0.6", get("/")))
  // The closed one belongs to the address with the most. With a tie, it can be the newcomer.
  await isServed(open("127.0.0.3", get("/")))
  // A client that does not read does not notice the end either.
  for (const { socket } of idle) socket.resume()
  const closed = await waitFor(async () => {
    const some = idle.flatMap((client, index) => (client.closed() ? [index] : []))
    return some.length > 1 && some
  }, "two to be closed")
  expect(closed).toEqual([0, 4])
})

test("a flood from one address is answered with 503 and never reset, whether its body arrives at once or later", async () => {
  await listen(16)
  for (let n = 0; n < 4; n++) open("127.0.0.2", get("/waits"))
  await waitFor(async () => begun === 4, "all to be requested")
  const head = "POST /body HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n"
  const flood = Array.from({ length: 60 }, (_, n) => open("127.0.0.2", n % 2 ? head : get("/")))
  await waitFor(async () => flood.every(({ text }) => text() !== ""), "all to be answered")
  for (const [n, { socket }] of flood.entries()) if (n % 2) socket.write("the body.")
  for (const client of flood) await isRefused(client)
})

test("a request whose body is still being sent is refused with 503 when its connection gives way", async () => {
  await listen(16)
  const head = "POST /body HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n"
  const slow = open("127.0.0.2", head)
  await waitFor(async () => begun === 1, "the request")
  for (let n = 0; n < 4; n++) open("127.0.0.2", get("/waits"))
  await waitFor(async () => slow.text() !== "", "the answer")
  slow.socket.write("the body.")
  await isRefused(slow)
  expect(begun).toBe(5)
})

test("of connections without a place, the oldest silent ones are closed first", async () => {
  await listen(16)
  for (let n = 0; n < 4; n++) open("127.0.0.2", get("/waits"))
  await waitFor(async () => begun === 4, "all to be requested")
  const silent = Array.from({ length: 300 }, () => open("127.0.0.2"))
  await waitFor(async () => silent.filter(({ closed }) => closed()).length >= 44, "some to be closed")
  await isRefused(open("127.0.0.2", get("/")))
  for (const client of silent) await isClosed(client)
})

test.each([
  [2000, 2000 - 512],
  [1024, 512],
  // If there are few, connections may take half of them.
  [400, 200],
])("of %i descriptors, %i may be connections", (descriptors, most) => {
  const ask = `import { connectionLimit } from "#server/http/connections.ts"; console.log(connectionLimit())`
  const { stdout, stderr } = spawnSync(
    "sh",
    ["-c", 'ulimit -n "$1" && exec "$2" --input-type=module -e "$3"', "sh", String(descriptors), process.execPath, ask],
    { encoding: "utf8" },
  )
  expect(stdout, stderr).toBe(`${most}\n`)
})

test("a process with very many descriptors is limited by memory", () => {
  expect(connectionLimit()).toBeGreaterThan(0)
  expect(connectionLimit()).toBeLessThanOrEqual(2048)
})

test("closing waits for running requests, but at most a few seconds", async () => {
  const connections = await listen(100)
  server.on("upgrade", () => {
    // Like Next: it never answers.
  })
  const kept = open("127.0.0.1", get("/"))
  await isServed(kept)
  const stubborn = [
    open(),
    open("127.0.0.1", "GET / HT"),
    open("127.0.0.1", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nx"),
    open("127.0.0.1", get("/waits")),
    open("127.0.0.1", "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"),
    open("127.0.0.1", "\x16\x03\x01\x02"),
  ]
  await waitFor(async () => stubborn.every(({ socket }) => !socket.connecting), "all to be connected")
  await connections.close()
  for (const client of [kept, ...stubborn]) await isClosed(client)
})
