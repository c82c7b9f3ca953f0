import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { Disruption } from "./faults.ts"
import { answer, type Method, parseError, parseRequest } from "./rpc.ts"

/** A cluster's limit for a request's body (`MAX_REQUEST_BODY_SIZE`). */
const MAX_BODY_BYTES = 50 * 1024
/** Longer than clients keep idle connections. Otherwise the server could close one while a request is on its way. */
const KEEP_ALIVE_MS = 65_000

type Options = { methods: ReadonlyMap<string, Method>; disruptionOf: (request: unknown) => Disruption }

const LOCAL_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::[0-9]{1,5})?$/i
const LOCAL_ORIGIN = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::[0-9]{1,5})?$/i

/**
 * Whether the request comes from a program or page on this machine. A browser lets the page of any site send requests
 * to this port, and a site whose name resolves to this machine (DNS rebinding) could also read the responses.
 */
export const isLocal = ({ headers }: IncomingMessage): boolean =>
  LOCAL_HOST.test(headers.host ?? "") && (headers.origin === undefined || LOCAL_ORIGIN.test(headers.origin))

/** JSON-RPC over HTTP POST, and `GET /health`. */
export function httpServer(options: Options): Server {
  const server = createServer((request, response) => {
    if (!isLocal(request)) return end(response, 403, "text/plain", "This network serves only its own machine")
    allowOrigin(request, response)
    if (request.method === "OPTIONS") return end(response, 200, null, "")
    if (request.method !== "POST") return answerPlain(request, response)
    if (!isJson(request))
      return end(
        response,
        415,
        "text/plain",
        "Supplied content type is not allowed. Content-Type: application/json is required",
      )
    readBody(request, (body) => {
      if (body !== null) return answerBody(body, response, options)
      // The rest of the body is not read, so the connection has no next request.
      response.setHeader("connection", "close")
      end(response, 413, "text/plain", "Payload Too Large")
    })
  })
  server.keepAliveTimeout = KEEP_ALIVE_MS
  return server
}

/** Calls `done` with the whole body, or with null as soon as it is too large. Never if the client disconnects first. */
function readBody(request: IncomingMessage, done: (body: Buffer | null) => void) {
  const pieces: Buffer[] = []
  let bytes = 0
  const refuse = () => {
    request.off("data", add).off("end", finish).pause()
    done(null)
  }
  const add = (piece: Buffer) => {
    bytes += piece.length
    if (bytes > MAX_BODY_BYTES) refuse()
    else pieces.push(piece)
  }
  const finish = () => done(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces))
  if (Number(request.headers["content-length"] ?? 0) > MAX_BODY_BYTES) return refuse()
  request.on("data", add).on("end", finish)
  // A client that disconnects gets no response.
  request.on("error", () => {})
}

function answerBody(body: Buffer, response: ServerResponse, { methods, disruptionOf }: Options) {
  const request = parseRequest(body.toString("utf8"))
  if (request === undefined) return endJson(response, parseError())
  const { drop, tooManyRequests, loseResponse, delayMs } = disruptionOf(request)
  if (drop) return response.destroy()
  if (tooManyRequests) {
    response.setHeader("retry-after", "1")
    return end(response, 429, "text/plain", "Too many requests")
  }
  const result = answer(methods, request)
  const deliver = () => (loseResponse ? response.destroy() : endJson(response, result))
  if (delayMs > 0) setTimeout(deliver, delayMs)
  else deliver()
}

function answerPlain(request: IncomingMessage, response: ServerResponse) {
  if (request.method === "GET" && request.url === "/health") return end(response, 200, null, "ok")
  end(response, 405, "text/plain", "Used HTTP Method is not allowed. POST is required")
}

const endJson = (response: ServerResponse, value: unknown) =>
  end(response, 200, "application/json", value === undefined ? "" : JSON.stringify(value))

function end(response: ServerResponse, status: number, type: string | null, body: string) {
  if (type !== null) response.setHeader("content-type", `${type}; charset=utf-8`)
  response.writeHead(status, { "content-length": Buffer.byteLength(body) })
  response.end(body)
}

const isJson = ({ headers }: IncomingMessage) => /^application\/json\s*(?:;|$)/i.test(headers["content-type"] ?? "")

/**
 * The CORS headers that a cluster's node sends to any origin (jsonrpc-http-server). Here, requests of other origins
 * have already been refused.
 */
function allowOrigin({ headers }: IncomingMessage, response: ServerResponse) {
  if (headers.origin === undefined) return
  response.setHeader("vary", "origin")
  response.setHeader("access-control-allow-origin", headers.origin)
  response.setHeader("access-control-allow-methods", "OPTIONS, POST")
  response.setHeader("access-control-max-age", "86400")
  const asked = headers["access-control-request-headers"]
  if (asked !== undefined)
    response.setHeader(
      "access-control-allow-headers",
      asked
        .split(",")
        .map((name) => name.trim())
        .join(", "),
    )
}
