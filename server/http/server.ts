import { readFileSync } from "node:fs"
import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http"
import { createServer as createTlsServer } from "node:https"
import type { Socket } from "node:net"
import { newId } from "#server/lib/ids.ts"
import { boundPieces } from "./body.ts"
import { refuse, STRICT_TRANSPORT_SECURITY } from "./reply.ts"
import { hasStalledSince } from "./stall.ts"

/** Files of a certificate and its key, in PEM. */
export type Tls = { cert: string; key: string }

/** Time limits of clients, in milliseconds. */
const settings = {
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5000,
  /** For the handshake of TLS. */
  handshakeTimeout: 10_000,
  // Turned off, so that the listener answers with our error body.
  requireHostHeader: false,
  // Upgrade requests are answered as plain requests: Next listens for upgrades from its first page on and never
  // answers them.
  shouldUpgradeCallback: () => false,
}
/** How long a client may take to read a refusal that ends its connection. */
const READ_REFUSAL_MS = 5000
/** A connection without traffic for this long is closed, for example because its client does not read the response. */
const STILL_MS = 120_000

/** A server that handles every request, including those that Node would answer itself or not at all. */
export function createHttpServer(listener: RequestListener, tls: Tls | null): Server {
  const server: Server = tls
    ? createTlsServer({ ...settings, cert: readFileSync(tls.cert), key: readFileSync(tls.key) }, listener)
    : createServer(settings, listener)
  server.timeout = STILL_MS
  server.on("request", (request, response) => {
    latest.set(request.socket, response)
    boundPieces(request, response)
  })
  server.on("clientError", answerUnreadable)
  // A connection whose handshake has not finished cannot get the reason, and a write to it would wait indefinitely.
  if (tls) server.removeAllListeners("tlsClientError").on("tlsClientError", (_error, socket) => socket.destroy())
  server.on("connect", (_request, socket: Socket) =>
    refuseRaw(socket, "This server is not a proxy. Send a path as the request's target."),
  )
  server.on("checkExpectation", (request, response) =>
    refuse(request, response, "malformed_request", "Expect: only 100-continue is supported."),
  )
  return server
}

/** The latest answer on a connection. */
const latest = new WeakMap<Socket, ServerResponse>()

/** Invalid HTTP also gets our error object, unless it would look like the answer to an earlier request. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy()
  const response = latest.get(socket)
  if (response && !response.writableFinished) {
    // The client expects this answer next if the request is incomplete and no earlier answer is outstanding.
    const isDue = !response.req.complete && !response.headersSent && response.socket === socket
    if (!isDue) return void socket.destroy()
  }
  if (error.code === "ERR_HTTP_REQUEST_TIMEOUT" && hasStalledSince(performance.now() - settings.requestTimeout))
    refuseRaw(socket, "The server stood still and did not read the request. Retry in 1 s.", "server_busy")
  else refuseRaw(socket, "The request is not valid HTTP, was sent too slowly, or its headers are too long.")
}

/** Writes the error object to a connection without a response object. */
function refuseRaw(
  socket: Socket,
  detail: string,
  error: "malformed_request" | "server_busy" = "malformed_request",
): void {
  const request_id = newId("req")
  const body = JSON.stringify({ error, detail, request_id })
  const head = [
    ...(error === "server_busy"
      ? ["HTTP/1.1 503 Service Unavailable", "Retry-After: 1"]
      : ["HTTP/1.1 400 Bad Request"]),
    "Content-Type: application/json",
    `X-Request-Id: ${request_id}`,
    `Strict-Transport-Security: ${STRICT_TRANSPORT_SECURITY}`,
    "Connection: close",
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`)
  // Further bytes are ignored, because the client may keep its side open.
  socket.resume()
  setTimeout(() => socket.destroy(), READ_REFUSAL_MS).unref()
}
