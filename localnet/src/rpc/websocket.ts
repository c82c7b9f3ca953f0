import { type WebSocket, WebSocketServer } from "ws"
import { isLocal } from "./http.ts"
import { answer, type Method, parseError, parseRequest } from "./rpc.ts"
import type { Subscriptions } from "./subscriptions.ts"

const MAX_MESSAGE_BYTES = 50 * 1024
/** Beyond it, a client that does not read its messages is disconnected. They would fill the memory. */
const MAX_UNREAD_BYTES = 16 << 20

/** Serves subscriptions on the port after HTTP's, where web3.js expects them. */
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
  const ownIds = new Set<number>()
  const send = (value: unknown) => {
    if (socket.bufferedAmount > MAX_UNREAD_BYTES) socket.terminate()
    else if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(value))
  }
  const notify = (method: string, result: unknown, subscription: number) =>
    send({ jsonrpc: "2.0", method, params: { result, subscription } })
  const methods = new Map<string, Method>(Object.entries(subscriptions.methods(notify, ownIds)))
  socket.on("message", (data) => {
    const request = parseRequest(String(data))
    const response = request === undefined ? parseError() : answer(methods, request)
    if (response !== undefined) send(response)
  })
  socket.on("close", () => {
    for (const id of ownIds) subscriptions.cancel(id)
  })
  // Without a listener, a broken connection would end the process.
  socket.on("error", () => socket.terminate())
}
