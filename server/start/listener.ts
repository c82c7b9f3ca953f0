import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import type { BlockList } from "node:net"
import { beginBody, dropBody, hasBody, MAX_BODY_BYTES, MAX_WEBHOOK_BYTES } from "#server/http/body.ts"
import { type Client, clientOf } from "#server/http/client.ts"
import { isBeyondLimit } from "#server/http/connections.ts"
import { beginRequest, UNMATCHED } from "#server/http/metrics.ts"
import { Reply, refuse, STRICT_TRANSPORT_SECURITY } from "#server/http/reply.ts"
import { beginTrace, endTrace } from "#server/http/trace.ts"
import { WaitingRequests } from "#server/http/waiting-requests.ts"
import { newId } from "#server/lib/ids.ts"
import type { RateLimitStatus } from "#server/lib/rate-limit.ts"
import { within } from "#server/lib/trace.ts"
import type { PageHandler } from "#server/pages/pages.ts"
import { LOGO_UPLOAD, type PageOptions } from "#server/pages/pages-api.ts"
import { routeOfPage } from "#server/pages/route.ts"
import { servePage } from "#server/pages/serve.ts"
import type { Adapter } from "#server/rest/adapter.ts"
import { suggestedPath } from "#server/rest/unknown-path.ts"
import { type ErrorCode, Failure } from "#shared/errors.ts"
import { MAX_LOGO_BYTES } from "#shared/logo.ts"

export type ListenerOptions = PageOptions & { adapter: Adapter; pages: PageHandler; trustedProxies: BlockList | null }

const LOCAL_HOSTS = /^(localhost|127\.0\.0\.1|\[::1\])(:[0-9]{1,5})?$/i

/** REST below /v1, the pages' procedures below /api/trpc, pages everywhere else. */
export function createListener(options: ListenerOptions): RequestListener {
  const { adapter, trustedProxies, publicOrigin } = options
  const httpsOnly = publicOrigin?.startsWith("https:") ?? false
  const waiting = new WaitingRequests()
  return (request, response) => {
    const client = clientOf(request, trustedProxies)
    const end = beginRequest(request, response)
    const place = isBeyondLimit(request) ? "busy" : waiting.take(request.socket, response, client.network)
    // An unread body would stay in memory as long as its connection.
    if (typeof place === "string") request.resume()
    if (place === "over") return end(UNMATCHED)
    if (place === "busy") {
      new Reply(response, newId("req"), request.method === "HEAD").failure(tooBusy())
      return end(UNMATCHED)
    }
    takeBody(request, client)
    const drop = () => dropBody(request)
    const never = () => {
      drop()
      end(UNMATCHED)
    }
    place.runAfterEarlier(() => answerTraced(request, response, client).then(end).finally(drop), never)
  }

  async function answerTraced(request: IncomingMessage, response: ServerResponse, client: Client) {
    const span = beginTrace(request)
    if (span === null) return answer(request, response, client)
    const route = await within(span, () => answer(request, response, client))
    endTrace(span, request, response, route)
    return route
  }

  /** Returns the template of the request's path. Never rejects. */
  async function answer(request: IncomingMessage, response: ServerResponse, client: Client): Promise<string> {
    const url = request.url ?? ""
    const api = /^\/v1(?:[/?]|$)/.test(url)
    const unreadable = whyUnreadable(request, publicOrigin)
    if (unreadable !== null) return refuseLimited(request, response, client, "malformed_request", unreadable)
    if (httpsOnly && !client.secure) {
      if (api) refuse(request, response, "https_required", "Send this request over HTTPS.")
      else redirectToHttps(response, publicOrigin!, url)
      return UNMATCHED
    }
    if (api) return adapter.handle(request, response, url.slice(3), client)
    const lost = withoutVersion(request, adapter)
    if (lost !== null) {
      const advice = `Endpoints are below /v1: call /v1${lost}.`
      return refuseLimited(request, response, client, "route_not_found", advice)
    }
    await servePage(options, request, response, client)
    return routeOfPage(url)
  }

  function refuseLimited(
    request: IncomingMessage,
    response: ServerResponse,
    { network }: Client,
    ...[code, detail]: [ErrorCode, string]
  ): string {
    const rate = options.pageLimiter?.take(network)
    if (rate && !rate.allowed) {
      new Reply(response, newId("req"), request.method === "HEAD").failure(tooOften(rate))
    } else refuse(request, response, code, detail)
    return UNMATCHED
  }
}

/** The path of a program's API request without /v1; null for a browser's request for a page and for anything else. */
function withoutVersion({ url = "", headers }: IncomingMessage, adapter: Adapter): string | null {
  const path = url.split("?", 1)[0]!
  const isPage = headers.accept?.includes("text/html") || headers.rsc !== undefined
  return isPage ? null : suggestedPath(path, adapter)
}

/** Where requests may have bodies, they are read at once, within a shared limit. Anywhere else they are skipped. */
function takeBody(request: IncomingMessage, { network }: Client): void {
  const { method, url = "" } = request
  if (method === "GET" || method === "HEAD" || !/^\/(v1|api)\//.test(url)) {
    if (hasBody(request)) request.resume()
    return
  }
  const limit = limitOf(url)
  beginBody(request, { limit, network })
}

/** What is wrong with a request that is ambiguous or not for this server; null if nothing is. */
function whyUnreadable(request: IncomingMessage, publicOrigin: string | null): string | null {
  const repeated = repeatedHeader(request.rawHeaders)
  if (repeated !== null) return `${repeated}: send this header once.`
  const { host, "transfer-encoding": coding = "chunked" } = request.headers
  if (!/^chunked$/i.test(coding)) return "Transfer-Encoding: only chunked is supported."
  if (host === undefined && request.httpVersion !== "1.0") return "Host: required."
  if (!isReadableHost(host)) return "Host: not a valid host name."
  if (publicOrigin === null && !LOCAL_HOSTS.test(host ?? "")) {
    return "Host: this server only serves localhost. Set VOUCH_PUBLIC_URL to serve other hosts."
  }
  return request.url?.startsWith("/") ? null : "The request's target must be a path."
}

const tooOften = ({ resetSeconds }: RateLimitStatus) =>
  new Failure("rate_limited", `Too many requests from this address. Retry in ${resetSeconds} s.`, {
    endsConnection: true,
    retryAfterSeconds: resetSeconds,
  })

const tooBusy = () =>
  new Failure("server_busy", "Too many requests are in progress. Retry in 1 s.", {
    endsConnection: true,
    retryAfterSeconds: 1,
  })

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

/** Headers that must be unique: a proxy may have read the other one. Node keeps the first value, or joins them. */
const singular = ["host", "authorization", "content-type", "content-length", "origin"]
const lengths = new Set(singular.map((name) => name.length))

/** The name of a header that must be unique and is repeated. Names and values alternate in `raw`. */
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

/** Largest body for an address, in bytes. */
function limitOf(url: string): number {
  if (url.startsWith("/v1/kyc/webhook")) return MAX_WEBHOOK_BYTES
  return url.startsWith(LOGO_UPLOAD) ? MAX_LOGO_BYTES : MAX_BODY_BYTES
}
