import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { boundPieces, readBody } from "#server/http/body.ts"
import { Failure } from "#shared/errors.ts"
import type { Fate } from "./faults.ts"
import { answer, type Method, parseError, parseRequest } from "./rpc.ts"

/** A cluster's limit of a request's body (`MAX_REQUEST_BODY_SIZE`). */
const MAX_BODY_BYTES = 50 * 1024
/** Longer than clients keep idle connections, or one could be closed under a request. */
const KEEP_ALIVE_MS = 65_000

type Options = { methods: ReadonlyMap<string, Method>; fateOf: (request: unknown) => Fate }

const LOCAL_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::[0-9]{1,5})?$/i
const LOCAL_ORIGIN = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::[0-9]{1,5})?$/i

/**
 * Whether the request comes from a program or page of this machine. A browser lets any site's page send to this port,
 * and one whose name was pointed here (DNS rebinding) could read the answers as well.
 */
export const isLocal = ({ headers }: IncomingMessage): boolean =>
  LOCAL_HOST.test(headers.host ?? "") && (headers.origin === undefined || LOCAL_ORIGIN.test(headers.origin))

/** JSON-RPC over HTTP POST, and `GET /health`. */
export function httpServer(options: Options): Server {
  const server = createServer((request, response) => {
    boundPieces(request, response)
    if (!isLocal(request)) return end(response, 403, "text/plain", "This network serves its own machine only")
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
    readBody(request, { limit: MAX_BODY_BYTES, network: "" }).then(
      (body) => answerBody(body, response, options),
      (error: unknown) => {
        const tooLarge = error instanceof Failure && error.code === "payload_too_large"
        if (!tooLarge) return void response.destroy()
        response.setHeader("connection", "close")
        end(response, 413, "text/plain", "Payload Too Large")
      },
    )
  })
  server.keepAliveTimeout = KEEP_ALIVE_MS
  return server
}

function answerBody(body: Buffer, response: ServerResponse, { methods, fateOf }: Options) {
  const request = parseRequest(body.toString("utf8"))
  if (request === undefined) return endJson(response, parseError())
  const fate = fateOf(request)
  if (fate.drop) return response.destroy()
  if (fate.tooManyRequests) {
    response.setHeader("retry-after", "1")
    return end(response, 429, "text/plain", "Too many requests")
  }
  const result = answer(methods, request)
  const deliver = () => (fate.mute ? response.destroy() : endJson(response, result))
  if (fate.delayMs > 0) setTimeout(deliver, fate.delayMs)
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

const isJson = ({ headers }: IncomingMessage) =>
  /^application\/json\s*(?:;|$)/i.test(headers["content-type"] ?? "")

/** What a cluster's node says to pages of any origin (jsonrpc-http-server); here only to those of this machine. */
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
