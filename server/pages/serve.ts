import { randomBytes } from "node:crypto"
import { once } from "node:events"
import type { IncomingMessage, ServerResponse } from "node:http"
import { RequestAborted } from "#server/http/body.ts"
import type { Client } from "#server/http/client.ts"
import { logFailure, toFailure } from "#server/http/failure.ts"
import { FairQueue } from "#server/http/fair-queue.ts"
import { Reply, STRICT_TRANSPORT_SECURITY } from "#server/http/reply.ts"
import { newId } from "#server/lib/ids.ts"
import { requireStorableAddress } from "#server/lib/storable.ts"
import { currentSpan } from "#server/lib/trace.ts"
import { Failure, fail, isErrorCode, statusOf } from "#shared/errors.ts"
import { LOGOS, SECURITY_TXT, sendLogo, sendSecurityTxt } from "./files.ts"
import { isHostedPage, serveFailure, serveHostedPage } from "./hosted-page/serve.ts"
import type { PageHandler } from "./pages.ts"
import { answerPage, type IncomingPage, isFile, limitPageRate, type PageOptions } from "./pages-api.ts"

/** Maximum characters of a page's URL. Ours are far shorter, and a response may repeat the URL several times. */
const MAX_PAGE_ADDRESS = 2048

type ServeOptions = PageOptions & { pages: PageHandler }

/** One thread renders all pages, so more at once would not be faster. Each takes a megabyte. */
const rendering = new FairQueue({ atOnce: 6, forEach: 3 })
/** Files of pages. Each takes a third of a megabyte for compression until it is sent. */
const sending = new FairQueue({ atOnce: 32, forEach: 8 })

/** Serves a page, its files, and requests below /api. Never rejects. */
export async function servePage(
  options: ServeOptions,
  request: IncomingMessage,
  response: ServerResponse,
  client: Client,
): Promise<void> {
  const incoming = { request, response, url: request.url!, requestId: newId("req"), client, options }
  currentSpan()?.set({ "vouch.request_id": incoming.requestId })
  const nonce = securePage(request, response)
  try {
    await serve(incoming, nonce)
  } catch (error) {
    const isGone = error instanceof RequestAborted
    const failure = toFailure(error)
    if (!isGone) logFailure(failure, incoming.requestId)
    // A response that has begun must not look complete.
    if (isGone || response.headersSent) response.destroy()
    else if (isTemporary(failure) && isHostedPage(incoming) && readsHtml(request))
      await serveFailure(incoming, nonce, failure)
    else new Reply(response, incoming.requestId, request.method === "HEAD").failure(failure)
  }
}

/** A failure that may pass: the hosted page keeps retrying. */
const isTemporary = ({ code }: Failure): boolean => code === "rate_limited" || statusOf(code) >= 500

const readsHtml = ({ headers }: IncomingMessage): boolean => String(headers.accept).includes("text/html")

async function serve(incoming: IncomingPage & { options: ServeOptions }, nonce: string): Promise<void> {
  const { request, response, url, requestId, client, options } = incoming
  if (url.length > MAX_PAGE_ADDRESS && !url.startsWith("/api/")) {
    fail("malformed_request", `The URL is longer than ${MAX_PAGE_ADDRESS} characters. Shorten it.`)
  }
  response.setHeader("X-Request-Id", requestId)
  if (!isDecodable(url)) {
    fail("malformed_request", "The path cannot be decoded: percent-encode it as UTF-8.")
  }
  requireStorableAddress(url)
  if (url.startsWith("/api/")) return answerPage(incoming)
  await limitPageRate(incoming)
  // Next would read the body of other methods without our limits.
  if (request.method !== "GET" && request.method !== "HEAD") return refuseMethod(incoming)
  if (url === SECURITY_TXT) return sendSecurityTxt(request, response, options)
  if (url.startsWith(LOGOS)) return sendLogo({ method: request.method, url }, response)
  if (isHostedPage(incoming)) return serveHostedPage(incoming, nonce)
  if (isUnknownError(url)) response.statusCode = 404
  const turns = isFile(url) ? sending : rendering
  const work = async () => {
    await options.pages(request, response)
    // The response uses memory until the client has read it.
    if (!response.closed) await once(response, "close")
  }
  const late = () => {
    if (isStillSending(response)) request.socket.destroy()
  }
  if (request.socket.destroyed) return
  const gone = new AbortController()
  response.once("close", () => gone.abort())
  await turns.run(client.network, work, { late, gone: gone.signal })
}

/** Whether the response waits for its client to read. */
const isStillSending = ({ writableNeedDrain, writableEnded, writableFinished }: ServerResponse): boolean =>
  !writableFinished && (writableNeedDrain || writableEnded)

function refuseMethod({ request, response, requestId }: IncomingPage): void {
  const reply = new Reply(response, requestId, false)
  reply.allow = "GET, HEAD, OPTIONS"
  if (request.method === "OPTIONS") reply.send(204, "", null)
  else reply.failure(new Failure("method_not_allowed", `Pages support ${reply.allow} only.`))
}

/** The docs page of an unknown error code says that it is unknown. Programs see the status. */
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
 * Sets the security headers of every page and returns the nonce. Only scripts with this nonce run; Next reads it from
 * the request's policy. Other sites cannot frame a page, and no page sends its URL to other sites.
 */
function securePage(request: IncomingMessage, response: ServerResponse): string {
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
  return nonce
}
