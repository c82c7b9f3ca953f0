import { type AddressInfo, connect } from "node:net"
import { expect, test } from "vitest"
import type { Failure } from "#shared/errors.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { beginBody, readBody, SLOWEST_BODY_MS } from "./body.ts"
import { Reply } from "./reply.ts"
import { createHttpServer } from "./server.ts"

test("a request whose rest arrived while the process stood still is to be retried, not malformed", async () => {
  let begun = 0
  const server = createHttpServer((request, response) => {
    begun++
    beginBody(request, { limit: 100, network: "" })
    const reply = new Reply(response, "req_1", false)
    readBody(request, { limit: 100, network: "" }).catch((error: Failure) => reply.failure(error))
  }, null)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const clients = ["POST / HTTP/1.1\r\nHost:", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 8\r\n\r\n1234"].map(
    (bytes) => {
      let text = ""
      const socket = connect({ port, host: "127.0.0.1" })
      socket.on("data", (piece) => {
        text += String(piece)
      })
      socket.write(bytes)
      return { socket, text: () => text }
    },
  )
  try {
    await waitFor(async () => begun === 1, "the request whose body is incomplete")
    // A stopped process cannot run the test, so this blocks it.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, SLOWEST_BODY_MS + 1000)
    for (const { text } of clients) {
      await waitFor(async () => text() !== "", "an answer")
      expect(text()).toMatch(/^HTTP\/1\.1 503 .*Retry-After: 1\r\n.*"server_busy"/is)
    }
  } finally {
    for (const { socket } of clients) socket.destroy()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})
