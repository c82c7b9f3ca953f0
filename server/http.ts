import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http"
import { createServer as createTlsServer } from "node:https"
import type { BlockList, Socket } from "node:net"
import { nodeHTTPRequestHandler } from "@trpc/server/adapters/node-http"
import { exportAttestations, readFilter } from "./attestations/export.ts"
import { type ErrorCode, Failure, fail, statusOf } from "./errors.ts"
import { newId } from "./ids.ts"
import { logger } from "./log.ts"
import type { Adapter } from "./rest/adapter.ts"
import { type Client, clientOf } from "./rest/client.ts"
import type { RateLimiter } from "./rest/rate-limit.ts"
import { Reply, STRICT_TRANSPORT_SECURITY } from "./rest/reply.ts"
import { appRouter } from "./router.ts"
import { clock } from "./time.ts"
import { explain } from "./trpc.ts"
import { CLIENT_ADDRESS, openAuth } from "./users/auth.ts"
import { principalIn, userOf } from "./users/principal.ts"

/** Serves a page; the path is in the request. */
export type PageHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

export type HttpOptions = {
  adapter: Adapter
  pages: PageHandler
  trustedProxies: BlockList | null
  /** Public origin; null while only this machine is served. */
  publicOrigin: string | null
  /** Per client address, for pages and their procedures. */
  pageLimiter: RateLimiter | null
  tls: { cert: string; key: string } | null
}

/** Names the workspace that a signed-in person is at. */
const WORKSPACE_HEADER = "x-vouch-workspace"

const LOCAL_HOSTS = /^(localhost|127\.0\.0\.1|\[::1\])(:[0-9]{1,5})?$/i

/** The one HTTP server: REST below /v1, the pages' procedures below /api/trpc, pages everywhere else. */
export function createHttpServer(options: HttpOptions): Server {
  const listener = createListener(options)
  const settings = {
    requestTimeout: 60_000,
    headersTimeout: 20_000,
    keepAliveTimeout: 65_000,
    // Without it the listener answers, so that this refusal too is one of ours.
    requireHostHeader: false,
  }
  const { tls } = options
  const server: Server = tls
    ? createTlsServer({ ...settings, cert: readFileSync(tls.cert), key: readFileSync(tls.key) }, listener)
    : createServer(settings, listener)
  server.on("clientError", answerUnreadable)
  // What Node would answer by itself, or not at all.
  server.on("connect", (_request, socket: Socket) => refuseRaw(socket, "This server is no proxy."))
  server.on("checkExpectation", (request, response) =>
    refuse(request, response, "malformed_request", "Expect: only 100-continue is understood."),
  )
  return server
}

export function createListener(options: HttpOptions): RequestListener {
  const { adapter, trustedProxies, publicOrigin } = options
  const httpsOnly = publicOrigin?.startsWith("https:") ?? false
  return (request, response) => {
    const url = request.url ?? ""
    const client = clientOf(request, trustedProxies)
    const api = /^\/v1(?:[/?]|$)/.test(url)
    if (request.headers.host === undefined && request.httpVersion !== "1.0") {
      return refuse(request, response, "malformed_request", "Host: is missing.")
    }
    if (publicOrigin === null && !LOCAL_HOSTS.test(request.headers.host ?? "")) {
      return refuse(
        request,
        response,
        "malformed_request",
        "Host: this server answers to localhost only. Set VOUCH_PUBLIC_URL to serve others.",
      )
    }
    if (!url.startsWith("/")) {
      return refuse(request, response, "malformed_request", "The request's target must be a path.")
    }
    if (httpsOnly && !client.secure) {
      if (api) return refuse(request, response, "https_required", "Send this request over HTTPS.")
      return redirectToHttps(response, publicOrigin!, url)
    }
    if (api) {
      adapter.handle(request, response, url.slice(3), client)
      return
    }
    servePage(options, request, response, client).catch((error) => {
      logger.error({ err: error }, "a page failed")
      if (response.headersSent) return
      refuse(request, response, "internal_error", "The page could not be shown. Try again in a moment.")
    })
  }
}

function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  code: ErrorCode,
  detail: string,
  retryAfterSeconds?: number,
): void {
  const options = retryAfterSeconds === undefined ? {} : { retryAfterSeconds }
  new Reply(response, newId("req"), request.method === "HEAD").failure(new Failure(code, detail, options))
}

function redirectToHttps(response: ServerResponse, origin: string, url: string): void {
  response
    .writeHead(308, {
      Location: origin + url,
      "Content-Length": 0,
      "X-Request-Id": newId("req"),
      "Strict-Transport-Security": STRICT_TRANSPORT_SECURITY,
      "Referrer-Policy": "no-referrer",
    })
    .end()
}

async function servePage(
  options: HttpOptions,
  request: IncomingMessage,
  response: ServerResponse,
  client: Client,
): Promise<void> {
  const url = request.url!
  const isProcedure = url.startsWith("/api/trpc/")
  if (url.startsWith("/api/") || url.startsWith("/verify/")) {
    const standing = options.pageLimiter?.take(client.address, clock.now().getTime())
    if (standing && !standing.allowed) {
      return refuse(
        request,
        response,
        "rate_limited",
        `Too many requests. Retry in ${standing.resetSeconds} s.`,
        standing.resetSeconds,
      )
    }
  }
  const requestId = newId("req")
  response.setHeader("X-Request-Id", requestId)
  securePage(request, response)
  if (!isDecodable(url)) {
    return refuse(
      request,
      response,
      "malformed_request",
      "The path cannot be decoded: percent-encode it as UTF-8.",
    )
  }
  if (isProcedure) return callProcedure(request, response, url, requestId, options.publicOrigin)
  if (url.startsWith("/api/auth/")) return authenticatePerson(request, response, client)
  if (url.split("?", 1)[0] === "/api/export/attestations.csv") {
    return download(request, response, url, requestId)
  }
  await options.pages(request, response)
}

function isDecodable(url: string): boolean {
  try {
    decodeURIComponent(url.split("?", 1)[0]!)
    return true
  } catch {
    return false
  }
}

async function callProcedure(
  request: IncomingMessage,
  response: ServerResponse,
  url: string,
  requestId: string,
  publicOrigin: string | null,
): Promise<void> {
  response.setHeader("Cache-Control", "no-store")
  if (isCrossSite(request, publicOrigin)) {
    return refuse(
      request,
      response,
      "cross_site_request",
      "Another site sent this request. It was not carried out.",
    )
  }
  const end = url.indexOf("?")
  const workspaceId =
    request.headers[WORKSPACE_HEADER] ?? new URLSearchParams(url.slice(end + 1)).get("workspace")
  await nodeHTTPRequestHandler({
    router: appRouter,
    req: request,
    res: response,
    path: url.slice("/api/trpc/".length, end < 0 ? undefined : end),
    allowMethodOverride: true,
    maxBodySize: 64 * 1024,
    responseMeta: ({ errors }) => {
      const [error] = errors
      return error ? { status: statusOf(explain(error.cause ?? error).code) } : {}
    },
    createContext: async () => {
      const user = await userOf(request.headers)
      return {
        requestId,
        door: "pages" as const,
        user,
        principal: user && workspaceId ? await principalIn(user, String(workspaceId)) : null,
        idempotency: null,
        webhook: null,
        respondAsync: false,
        answer: { status: 200 },
      }
    },
  })
}

/**
 * Whether another site's page sent it. Cookies are SameSite=Lax, so that its requests carry none where they could
 * change anything; this holds where that does not (a sibling subdomain, an old browser). A GET changes nothing.
 */
function isCrossSite({ method, headers }: IncomingMessage, publicOrigin: string | null): boolean {
  if (method === "GET" || method === "HEAD" || headers.origin === undefined) return false
  if (publicOrigin !== null) return headers.origin !== publicOrigin
  return !/^https?:\/\//.test(headers.origin) || headers.origin.replace(/^https?:\/\//, "") !== headers.host
}

/** A file that the browser saves. It is no procedure, because an answer of those is held in memory as a whole. */
async function download(
  request: IncomingMessage,
  response: ServerResponse,
  url: string,
  requestId: string,
): Promise<void> {
  const answerFailure = (failure: Failure) =>
    new Reply(response, requestId, request.method === "HEAD").failure(failure)
  if (request.method !== "GET") {
    return answerFailure(new Failure("method_not_allowed", "This address is for GET only."))
  }
  try {
    const query = new URLSearchParams(url.split("?")[1])
    const user = (await userOf(request.headers)) ?? fail("not_signed_in", "Sign in first.")
    const principal = await principalIn(user, query.get("workspace") ?? "")
    await exportAttestations(principal, readFilter(query), response)
  } catch (error) {
    // A file that breaks off must not look like a whole one.
    if (response.headersSent) response.destroy()
    if (response.headersSent || !(error instanceof Failure)) throw error
    answerFailure(error)
  }
}

const MAX_AUTH_BYTES = 64 * 1024

/** Signing in and out, passwords, second factors: better-auth's own endpoints. */
async function authenticatePerson(
  request: IncomingMessage,
  response: ServerResponse,
  { address }: Client,
): Promise<void> {
  response.setHeader("Cache-Control", "no-store")
  if (
    Number(request.headers["content-length"] ?? 0) > MAX_AUTH_BYTES ||
    request.headers["transfer-encoding"]
  ) {
    return refuse(request, response, "payload_too_large", "Send at most 64 KiB, with its Content-Length.")
  }
  request.headers[CLIENT_ADDRESS] = address
  const [auth, { toNodeHandler }] = await Promise.all([openAuth(), import("better-auth/node")])
  await toNodeHandler(auth)(request, response)
}

/**
 * Headers of every page. Scripts run only with this answer's nonce, which Next takes from the request's policy;
 * nothing frames a page, and no address of one reaches another site.
 */
function securePage(request: IncomingMessage, response: ServerResponse): void {
  const nonce = randomBytes(16).toString("base64")
  const policy = [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ")
  request.headers["content-security-policy"] = policy
  response.setHeader("Content-Security-Policy", policy)
  response.setHeader("Strict-Transport-Security", STRICT_TRANSPORT_SECURITY)
  response.setHeader("Referrer-Policy", "no-referrer")
  response.setHeader("X-Content-Type-Options", "nosniff")
  response.setHeader("X-Frame-Options", "DENY")
  response.setHeader("Permissions-Policy", "camera=(), microphone=(), geolocation=()")
}

/** What is not HTTP, or too long in its head, gets our error object as well. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy()
  refuseRaw(socket, "The request is not valid HTTP, came too slowly, or its headers are too long.")
}

/** The error object on a connection that has no response to write it with. */
function refuseRaw(socket: Socket, detail: string): void {
  const request_id = newId("req")
  const body = JSON.stringify({ error: "malformed_request", detail, request_id })
  const head = [
    "HTTP/1.1 400 Bad Request",
    "Content-Type: application/json",
    `X-Request-Id: ${request_id}`,
    `Strict-Transport-Security: ${STRICT_TRANSPORT_SECURITY}`,
    "Connection: close",
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`)
}
