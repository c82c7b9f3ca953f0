import { once } from "node:events"
import { type AddressInfo, createServer, type Socket } from "node:net"
import { afterEach, beforeAll, expect, test } from "vitest"
import { startTestApp } from "#test/fixtures/app.ts"
import { openAgent, post } from "./post.ts"

beforeAll(async () => {
  const app = await startTestApp({ VOUCH_ROLE: "web", VOUCH_WEBHOOK_NETWORKS: "127.0.0.0/8" })
  return () => app.stop()
})
let close = () => {}
afterEach(() => close())

/** A server that sends any bytes as its response. */
async function answering(how: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => {})
    socket.once("data", () => how(socket))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  close = () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

const send = (url: string, end?: AbortSignal) => {
  const agent = openAgent(url, 1)
  return post(agent, url, { headers: {}, body: "{}", at: new Date(), ...(end && { end }) }).finally(() =>
    agent.destroy(),
  )
}

// For the first one, Node emits neither an error nor a response.
test.each([
  [
    "other protocols",
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
    101,
    "It answered 101.",
  ],
  ["101 alone", "HTTP/1.1 101 Switching Protocols\r\n\r\n", 101, "It answered 101."],
  ["nothing and closes", "", null, "The connection broke."],
  [
    "a part of a response and closes",
    "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
    null,
    "The connection broke.",
  ],
  ["something other than HTTP", "hello\r\n\r\n", null, "Its answer is not HTTP."],
])("a consumer that answers %s has failed, and the request ends", async (_, answer, statusCode, error) => {
  const url = await answering((socket) => {
    if (statusCode === null) socket.end(answer)
    else socket.write(answer)
  })
  expect(await send(url)).toMatchObject({ statusCode, error })
})

test("attempts in progress end with the process", async () => {
  const end = new AbortController()
  const url = await answering(() => end.abort())
  await expect(send(url, end.signal)).rejects.toThrow("")
})
