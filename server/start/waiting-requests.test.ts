import type { IncomingMessage } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { expect, test } from "vitest"
import { bodyBytes } from "#server/http/body.ts"
import { createHttpServer } from "#server/http/server.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { createListener, type ListenerOptions } from "./listener.ts"

// Requests that wait while an earlier response on their connection is still being sent.

/** A listener that serves pages and has no rate limit. */
const nothing = {
  adapter: { knows: () => false } as never,
  trustedProxies: null,
  publicOrigin: null,
  securityContact: null,
  anonymousLimiter: null,
  pageLimiter: null,
  assetLimiter: null,
  userLimiter: null,
} satisfies Omit<ListenerOptions, "pages">

test("a page behind a response that the client never reads is not rendered", async () => {
  let made = 0
  const listener = createListener({
    ...nothing,
    pages: async (_request, response) => {
      made++
      response.end(Buffer.alloc(16_000_000))
    },
  })
  const server = createHttpServer(listener, null)
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1")
  socket.on("error", () => {}).pause()
  socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(5))
  await waitFor(async () => made > 0, "the first page")
  // A page rendered for no reader would exist by now.
  expect((await fetch(`http://localhost:${(server.address() as AddressInfo).port}/`)).status).toBe(200)
  expect(made).toBe(2)
  socket.resume()
  await waitFor(async () => made === 6, "the other pages as each is read")
  socket.destroy()
  server.close()
})

test.each([
  ["GET /docs", "Transfer-Encoding: chunked", "20\r\n12345678901234567890123456789012\r\n".repeat(1500), 0],
  ["HEAD /v1/health", "Content-Length: 70000", "x".repeat(60_000), 0],
  ["POST /docs", "Content-Length: 70000", "x".repeat(60_000), 0],
  ["POST /v1/kyc/start", "Content-Length: 60001", "x".repeat(60_000), 60_000],
])("a waiting body of %s keeps no more memory than is counted", async (start, header, body, counted) => {
  const requests: IncomingMessage[] = []
  const listener = createListener({ ...nothing, pages: async () => {} })
  const server = createHttpServer((request, response) => {
    requests.push(request)
    listener(request, response)
  }, null)
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1")
  socket.on("error", () => {})
  socket.write("GET /waits HTTP/1.1\r\nHost: localhost\r\n\r\n")
  socket.write(`${start} HTTP/1.1\r\nHost: localhost\r\n${header}\r\n\r\n${body}`)
  await waitFor(async () => requests.length === 2, "both to arrive")
  await waitFor(async () => socket.bytesWritten > body.length && socket.writableLength === 0, "the body to be sent")
  await waitFor(async () => bodyBytes() >= counted, "the counted bytes")
  await new Promise((next) => setImmediate(next))
  expect(requests[1]!.readableLength).toBe(0)
  socket.destroy()
  await waitFor(async () => bodyBytes() === 0, "all bytes to be released")
  server.close()
})
