import { randomBytes } from "node:crypto"
import { once } from "node:events"
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
import {
  beginBody,
  boundPieces,
  dropBody,
  hasBody,
  MAX_BODY_BYTES,
  MAX_WEBHOOK_BYTES,
  RequestAborted,
} from "./body.ts"
import { Failure, isErrorCode } from "./errors.ts"
import { newId } from "./ids.ts"
import { logger } from "./log.ts"
import { type Asked, answerPage, exceedsPageRate } from "./pages-api.ts"
import type { Adapter } from "./rest/adapter.ts"
import { type Client, clientOf } from "./rest/client.ts"
import type { RateLimiter, Standing } from "./rest/rate-limit.ts"
import { Reply, refuse, STRICT_TRANSPORT_SECURITY } from "./rest/reply.ts"
import { requireStorableAddress } from "./storable.ts"
import { Turns } from "./turns.ts"
import { WaitingRequests } from "./waiting-requests.ts"

/** Serves a page; the path is in the request. */
export type PageHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

export type HttpOptions = {
  adapter: Adapter
  pages: PageHandler
  trustedProxies: BlockList | null
  /** Public origin; null while only this machine is served. */
  publicOrigin: string | null
  /** Per network, for the hosted page, signing in, and the procedures of whoever is not signed in. */
  strangerLimiter: RateLimiter | null
  /** Per network, for all other pages. */
  pageLimiter: RateLimiter | null
  /** Per network, for the files that pages consist of. */
  assetLimiter: RateLimiter | null
  /** Per person who is signed in. */
  userLimiter: RateLimiter | null
  tls: { cert: string; key: string } | null
}

const LOCAL_HOSTS = /^(localhost|127\.0\.0\.1|\[::1\])(:[0-9]{1,5})?$/i

/** How long a client may take for what, in milliseconds. */
const settings = {
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5000,
  /** For the handshake of TLS. */
  handshakeTimeout: 10_000,
  // Without it the listener answers, so that this refusal too is one of ours.
  requireHostHeader: false,
  // A wish to speak another protocol is answered as the same request without it, whoever listens for upgrades: Next does
  // from its first page on, and then never answers them.
  shouldUpgradeCallback: () => false,
}
/** How long a client may take to read a refusal that ends its connection. */
const FAREWELL_MS = 5000
/** A connection on which nothing moves for so long is closed, be it that its client does not read our answer. */
const STILL_MS = 120_000

/** A server that answers whatever comes, also what Node would answer by itself or not at all. */
export function createHttpServer(listener: RequestListener, tls: HttpOptions["tls"]): Server {
  const server: Server = tls
    ? createTlsServer({ ...settings, cert: readFileSync(tls.cert), key: readFileSync(tls.key) }, listener)
    : createServer(settings, listener)
  server.timeout = STILL_MS
  server.on("request", (request, response) => {
    latest.set(request.socket, response)
    boundPieces(request, response)
  })
  server.on("clientError", answerUnreadable)
  // What ends before its handshake does cannot be told why, and what is written to it would wait for ever.
  if (tls)
    server.removeAllListeners("tlsClientError").on("tlsClientError", (_error, socket) => socket.destroy())
  server.on("connect", (_request, socket: Socket) => refuseRaw(socket, "This server is no proxy."))
  server.on("checkExpectation", (request, response) =>
    refuse(request, response, "malformed_request", "Expect: only 100-continue is understood."),
  )
  return server
}

/** REST below /v1, the pages' procedures below /api/trpc, pages everywhere else. */
export function createListener(options: HttpOptions): RequestListener {
  const { adapter, trustedProxies, publicOrigin } = options
  const httpsOnly = publicOrigin?.startsWith("https:") ?? false
  const waiting = new WaitingRequests()
  return (request, response) => {
    const client = clientOf(request, trustedProxies)
    const place = waiting.take(request.socket, response, client.network)
    // A body that nobody reads would lie there for as long as its connection.
    if (typeof place === "string") request.resume()
    if (place === "over") return
    if (place === "busy") {
      new Reply(response, newId("req"), request.method === "HEAD").failure(tooBusy())
      return
    }
    takeBody(request, client)
    const drop = () => dropBody(request)
    place.whenItsTurn(() => answer(request, response, client).finally(drop), drop)
  }

  /** Never rejects. */
  async function answer(request: IncomingMessage, response: ServerResponse, client: Client): Promise<void> {
    const url = request.url ?? ""
    const api = /^\/v1(?:[/?]|$)/.test(url)
    const unreadable = whyUnreadable(request, publicOrigin)
    if (unreadable !== null) {
      const standing = options.pageLimiter?.take(client.network)
      if (standing && !standing.allowed) {
        return new Reply(response, newId("req"), request.method === "HEAD").failure(tooOften(standing))
      }
      return refuse(request, response, "malformed_request", unreadable)
    }
    if (httpsOnly && !client.secure) {
      if (api) return refuse(request, response, "https_required", "Send this request over HTTPS.")
      return redirectToHttps(response, publicOrigin!, url)
    }
    if (api) return adapter.handle(request, response, url.slice(3), client)
    await servePage(options, request, response, client).catch((error) => {
      if (error instanceof RequestAborted) return void response.destroy()
      if (error instanceof Failure) return new Reply(response, newId("req"), false).failure(error)
      logger.error({ err: error }, "a page failed")
      refuse(request, response, "internal_error", "The page could not be shown. Try again in a moment.")
    })
  }
}

/** Where requests have bodies they are read at once, bounded all together; anywhere else they are passed by. */
function takeBody(request: IncomingMessage, { network }: Client): void {
  const { method, url = "" } = request
  if (method === "GET" || method === "HEAD" || !/^\/(v1|api)\//.test(url)) {
    if (hasBody(request)) request.resume()
    return
  }
  const limit = url.startsWith("/v1/kyc/webhook") ? MAX_WEBHOOK_BYTES : MAX_BODY_BYTES
  beginBody(request, { limit, network })
}

/** Characters of a page's address: all of ours are far shorter, and an answer may repeat it several times. */
const MAX_PAGE_ADDRESS = 2048

/** What is wrong with a request that two could read in two ways, or that is not for this server; null where nothing is. */
function whyUnreadable(request: IncomingMessage, publicOrigin: string | null): string | null {
  const repeated = repeatedHeader(request.rawHeaders)
  if (repeated !== null) return `${repeated}: is given more than once.`
  const { host, "transfer-encoding": coding = "chunked" } = request.headers
  if (!/^chunked$/i.test(coding)) return "Transfer-Encoding: only chunked is understood."
  if (host === undefined && request.httpVersion !== "1.0") return "Host: is missing."
  if (!isReadableHost(host)) return "Host: is no name of a host."
  if (publicOrigin === null && !LOCAL_HOSTS.test(host ?? "")) {
    return "Host: this server answers to localhost only. Set VOUCH_PUBLIC_URL to serve others."
  }
  return request.url?.startsWith("/") ? null : "The request's target must be a path."
}

const tooOften = ({ resetSeconds }: Standing) =>
  new Failure("rate_limited", `Too many requests from this address. Retry in ${resetSeconds} s.`, {
    endsConnection: true,
    retryAfterSeconds: resetSeconds,
  })

const tooBusy = () =>
  new Failure(
    "server_busy",
    "Too many requests of this address, or of all, have no answer yet. Retry in 1 s.",
    {
      endsConnection: true,
      retryAfterSeconds: 1,
    },
  )

const isReadableHost = (host = "localhost"): boolean =>
  host === "" || (/^[\w.~%:[\]-]+$/.test(host) && URL.canParse(`http://${host}`))

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

/** One at a time would be as fast, as one thread renders them; each that has begun takes a megabyte. */
const rendering = new Turns({ atOnce: 6, forEach: 3 })
/** Files that pages consist of: each takes a third of a megabyte, for its compression, until it is sent. */
const sending = new Turns({ atOnce: 32, forEach: 8 })

async function servePage(
  options: HttpOptions,
  request: IncomingMessage,
  response: ServerResponse,
  client: Client,
): Promise<void> {
  const url = request.url!
  const requestId = newId("req")
  if (url.length > MAX_PAGE_ADDRESS && !url.startsWith("/api/")) {
    return refuse(
      request,
      response,
      "malformed_request",
      `The address has more than ${MAX_PAGE_ADDRESS} characters.`,
    )
  }
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
  requireStorableAddress(url)
  const asked = { request, response, url, requestId, client, options }
  if (url.startsWith("/api/")) return answerPage(asked)
  if (await exceedsPageRate(asked)) return
  // Next would read the body of any other, in its own way.
  if (request.method !== "GET" && request.method !== "HEAD") return refuseMethod(asked)
  if (isUnknownError(url)) response.statusCode = 404
  const turns = url.startsWith("/_next/static/") ? sending : rendering
  const work = async () => {
    await options.pages(request, response)
    // Until its client has read it, it takes what it took before.
    if (!response.closed) await once(response, "close")
  }
  const late = () => {
    if (isUnread(response)) request.socket.destroy()
  }
  if (request.socket.destroyed) return
  const gone = new AbortController()
  response.once("close", () => gone.abort())
  await turns.run(client.network, work, { late, gone: gone.signal })
}

/** Whether an answer waits for its client to read. */
const isUnread = ({ writableNeedDrain, writableEnded, writableFinished }: ServerResponse): boolean =>
  !writableFinished && (writableNeedDrain || writableEnded)

function refuseMethod({ request, response, requestId }: Asked): void {
  const reply = new Reply(response, requestId, false)
  reply.allow = "GET, HEAD, OPTIONS"
  if (request.method === "OPTIONS") reply.send(204, "", null)
  else reply.failure(new Failure("method_not_allowed", `A page takes ${reply.allow}.`))
}

/** The page of a code that does not exist says so, and names others; machines read it in the status. */
function isUnknownError(url: string): boolean {
  const [, code] = /^\/docs\/errors\/([^/?]+)/.exec(url) ?? []
  return code !== undefined && !isErrorCode(code)
}

function isDecodable(url: string): boolean {
  try {
    decodeURIComponent(url.split("?", 1)[0]!)
    return true
  } catch {
    return false
  }
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

/**
 * Headers that say one thing: of two, a proxy before us may have read the other one. Node takes the first of most, and
 * joins the rest.
 */
const singular = ["host", "authorization", "content-type", "content-length", "origin"]
const lengths = new Set(singular.map((name) => name.length))

/** The name of a header that may come once and does not. Names and values take turns in `raw`. */
function repeatedHeader(raw: readonly string[]): string | null {
  const seen: string[] = []
  for (let i = 0; i < raw.length; i += 2) {
    if (!lengths.has(raw[i]!.length)) continue
    const name = raw[i]!.toLowerCase()
    if (!singular.includes(name)) continue
    if (seen.includes(name)) return raw[i]!
    seen.push(name)
  }
  return null
}

/** The latest answer that was begun on a connection. */
const latest = new WeakMap<Socket, ServerResponse>()

/**
 * What is not HTTP, or too long in its head, gets our error object as well, unless that would be read as the answer to
 * a request before it.
 */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy()
  const response = latest.get(socket)
  if (response && !response.writableFinished) {
    // Its own answer has not begun, and no other one is before it.
    const isDue = !response.req.complete && !response.headersSent && response.socket === socket
    if (!isDue) return void socket.destroy()
  }
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
  // What it still sends is nothing, and its own side may stay open for as long as it likes.
  socket.resume()
  setTimeout(() => socket.destroy(), FAREWELL_MS).unref()
}
