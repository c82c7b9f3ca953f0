import { type WebSocket, WebSocketServer } from "ws"
import { isLocal } from "./http.ts"
import { answer, type Method, parseError, parseRequest } from "./rpc.ts"
import type { Subscriptions } from "./subscriptions.ts"

const MAX_MESSAGE_BYTES = 50 * 1024
/** Messages for a client that does not read would otherwise fill the memory. */
const MAX_UNREAD_BYTES = 16 << 20

/** The subscriptions, on the port where web3.js looks for them: HTTP's plus one. */
export function webSocketServer(port: number, host: string, subscriptions: Subscriptions): WebSocketServer {
  const server = new WebSocketServer({
    port,
    host,
    maxPayload: MAX_MESSAGE_BYTES,
    verifyClient: ({ req }, answer) => answer(isLocal(req), 403),
  })
  server.on("connection", (socket) => serve(socket, subscriptions))
  return server
}

function serve(socket: WebSocket, subscriptions: Subscriptions) {
  const mine = new Set<number>()
  const send = (value: unknown) => {
    if (socket.bufferedAmount > MAX_UNREAD_BYTES) socket.terminate()
    else if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(value))
  }
  const notify = (method: string, result: unknown, subscription: number) =>
    send({ jsonrpc: "2.0", method, params: { result, subscription } })
  const methods = new Map<string, Method>(Object.entries(subscriptions.methods(notify, mine)))
  socket.on("message", (data) => {
    const request = parseRequest(String(data))
    const response = request === undefined ? parseError() : answer(methods, request)
    if (response !== undefined) send(response)
  })
  socket.on("close", () => {
    for (const id of mine) subscriptions.cancel(id)
  })
  // A broken connection closes, which is all there is to say about it.
  socket.on("error", () => socket.terminate())
}
