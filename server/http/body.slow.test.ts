import { spawnSync } from "node:child_process"
import type { IncomingMessage, ServerResponse } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { afterEach, beforeAll, expect, test, vi } from "vitest"
import { waitFor } from "#test/fixtures/app.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"
import { bodyBytes, isJsonType, MAX_BODY_BYTES, readBody, SLOWEST_BODY_MS } from "./body.ts"
import { createHttpServer } from "./server.ts"

let port: number
const open = new Set<Socket>()

usesApp({ environment: { VOUCH_ROLE: "web" } })
beforeAll(async () => {
  port = Number(new URL(app.origin).port)
})
afterEach(async () => {
  vi.restoreAllMocks()
  for (const socket of open) socket.destroy()
  open.clear()
  await waitFor(async () => bodyBytes() === 0, "all memory of bodies to be released")
})

const KIB = 1024
const MIB = 1024 * KIB

/** Begins a request from an address of this machine; what comes back is in `text`. */
function begin(path: string, head: string, from = "127.0.0.1") {
  let text = ""
  const socket = connect({ port, host: "127.0.0.1", localAddress: from })
  open.add(socket)
  socket.on("error", () => {})
  socket.on("data", (chunk) => {
    text += chunk
  })
  socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\n${head}\r\n\r\n`)
  return { socket, text: () => text }
}

/** A chunk of one byte. */
const CHUNK = "1\r\nx\r\n"

const lengthOf = (bytes: number) => `Content-Type: application/json\r\nContent-Length: ${bytes}`

const sent = (text: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1])

test.each(["/v1/kyc/webhook", "/api/trpc/verification.submit", "/api/auth/sign-in/email"])(
  "a body for %s in thousands of chunks of one byte is refused",
  async (path) => {
    const chunks = CHUNK.repeat(60 * KIB)
    const bodies = Array.from({ length: 10 }, () => {
      const body = begin(path, "Content-Type: application/json\r\nTransfer-Encoding: chunked")
      body.socket.write(chunks)
      return body
    })
    await waitFor(async () => bodies.every(({ socket }) => socket.closed), "all connections to end")
    for (const { text } of bodies) {
      expect(text()).toMatch(/^HTTP\/1\.1 400 .*"malformed_request".*too many small pieces/s)
    }
  },
)

test("a body that is not read yet keeps no more pieces than its limit", async () => {
  const { promise, resolve } = Promise.withResolvers<[IncomingMessage, ServerResponse]>()
  const server = createHttpServer((...pair) => resolve(pair), null)
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1")
  open.add(socket)
  socket.on("error", () => {}).resume()
  socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n${CHUNK.repeat(50 * KIB)}`)
  const [request, response] = await promise
  await waitFor(async () => request.readableLength > 500, "pieces to come")
  await expect(readBody(request, { limit: MAX_BODY_BYTES, network: "" })).rejects.toMatchObject({
    code: "malformed_request",
  })
  expect(request.readableLength).toBeLessThan(1000)
  // The unread rest is not taken for the next request of the connection.
  response.end()
  await waitFor(async () => socket.closed, "the connection to end")
  await new Promise((closed) => server.close(closed))
})

test("the oldest unfinished bodies of one address are dropped before they take more than 4 MiB", async () => {
  const piece = Buffer.alloc(200 * KIB, " ")
  const bodies: ReturnType<typeof begin>[] = []
  for (let n = 1; n <= 24; n++) {
    const body = begin("/v1/kyc/webhook", lengthOf(256 * KIB))
    body.socket.write(piece)
    bodies.push(body)
    const expected = Math.min(n, 16)
    await waitFor(async () => bodyBytes() >= expected * 200 * KIB, `body ${n} to arrive`)
    expect(bodyBytes()).toBeLessThanOrEqual(4 * MIB)
  }
  const refused = bodies.slice(0, 8)
  await waitFor(async () => refused.every(({ text }) => sent(text()) === 429), "the oldest to be refused")
  expect(refused[0]!.text()).toMatch(/Retry-After: 1\r\n.*"error":"rate_limited"/s)
  expect(bodies.slice(8).map(({ text }) => text())).toEqual(Array(16).fill(""))
  // A request that is sent at once is served in the meantime, even from the same address.
  expect((await app.webhook({ session_id: "sess_unknown", decision: "approved" })).status).toBe(200)
  // So is one that comes in pieces and continues.
  const honest = begin("/v1/kyc/webhook", lengthOf(100 * KIB))
  honest.socket.write(piece.subarray(0, 50 * KIB))
  await waitFor(async () => sent(bodies[8]!.text()) === 429, "the oldest to be dropped for it")
  honest.socket.write(piece.subarray(0, 50 * KIB))
  await waitFor(async () => sent(honest.text()) === 401, "its answer")
})

test("the address that holds most is dropped before all bodies take more than 16 MiB", async () => {
  const piece = Buffer.alloc(200 * KIB, " ")
  const small = begin("/v1/kyc/webhook", lengthOf(256 * KIB), "127.0.0.9")
  small.socket.write(piece.subarray(0, KIB))
  await waitFor(async () => bodyBytes() > 0, "the first body")
  const bodies: ReturnType<typeof begin>[] = []
  for (let n = 0; n < 5 * 16; n++) {
    const body = begin("/v1/kyc/webhook", lengthOf(256 * KIB), `127.0.0.${2 + (n % 5)}`)
    body.socket.write(piece)
    bodies.push(body)
  }
  await waitFor(
    async () => bodies.filter(({ text }) => text().includes("server_busy")).length >= 16,
    "some to be refused",
  )
  expect(bodyBytes()).toBeLessThanOrEqual(16 * MIB)
  const refused = bodies.filter(({ text }) => text() !== "")
  for (const { text } of refused) expect(text()).toMatch(/^HTTP\/1\.1 503 .*Retry-After: 1\r\n/s)
  // The oldest body of all belongs to an address that holds little.
  expect(small.text()).toBe("")
})

test("a trickling body is refused after a while, no matter how often a byte arrives", async () => {
  const setTimer = globalThis.setTimeout
  vi.spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void, ms: number, ...rest: unknown[]) =>
    setTimer(run, ms === SLOWEST_BODY_MS ? 300 : ms, ...rest)) as typeof setTimeout)
  for (const path of ["/v1/kyc/webhook", "/api/trpc/verification.submit", "/api/auth/sign-in/email"]) {
    const slow = begin(path, lengthOf(1000))
    const trickle = setInterval(() => slow.socket.write(" "), 20)
    await waitFor(async () => slow.socket.closed, `the end of ${path}`)
    clearInterval(trickle)
    expect(slow.text()).toMatch(/^HTTP\/1\.1 400 .*"malformed_request".*too slowly/s)
  }
})

test("a client that disconnects in the middle of a body leaves no memory taken", async () => {
  for (const path of ["/v1/kyc/webhook", "/api/trpc/verification.submit"]) {
    const gone = begin(path, lengthOf(60 * KIB))
    gone.socket.write("x".repeat(10 * KIB))
    await waitFor(async () => bodyBytes() > 0, "its bytes")
    gone.socket.destroy()
    await waitFor(async () => bodyBytes() === 0, "the memory to be released")
  }
  expect(app.log.filter((line) => JSON.parse(line).level >= 50)).toEqual([])
})

test.each([
  "application/json",
  "Application/JSON",
  "application/json;charset=utf-8",
  'application/json; charset="UTF-8"',
  "application/json; charset=utf8",
  "application/json; version=1",
  'application/json; version=1; charset=utf-8; note="a; b=\\"c\\""',
  "application/json ;\tcharset=utf-8 ;",
  "application/json;",
])("%s is JSON in UTF-8", (type) => {
  expect(isJsonType(type)).toBe(true)
})

test.each([
  "",
  "text/plain",
  "application/jsonx",
  "application/json; charset=latin1",
  "application/json; charset=utf-8; charset=utf-16",
  "application/json; charset=",
  "application/json; charset",
  "application/json charset=utf-8",
  'application/json; a="',
  "application/json, application/json",
  "text/plain; application/json",
])("%j is not", (type) => {
  expect(isJsonType(type)).toBe(false)
})

test("a Content-Type of hundreds of thousands of characters is read in linear time", () => {
  const script = `
    import { isJsonType } from "#server/http/body.ts"
    for (const piece of [" ", "\\t", ";", "; ", ";a", ";a=", ";a=b", '"a', '"', '\\\\"', "a", ";a=\\"", "=", "; charset=utf-8"]) {
      for (const start of ["", "application/json", "application/json;", "application/json; charset=", 'application/json; charset="'])
        for (const end of ["", "x", '"', "; charset=utf-16"]) isJsonType(start + piece.repeat(100_000) + end)
    }`
  // Far more than it needs. An algorithm that tries positions twice would take days.
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    timeout: 60_000,
    encoding: "utf8",
  })
  expect(stderr).toBe("")
  expect(status).toBe(0)
})
