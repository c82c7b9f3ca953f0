import { randomBytes } from "node:crypto"
import { once } from "node:events"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Client } from "#server/http/client.ts"
import { Reply, refuse, STRICT_TRANSPORT_SECURITY } from "#server/http/reply.ts"
import { Turns } from "#server/http/turns.ts"
import { newId } from "#server/lib/ids.ts"
import { requireStorableAddress } from "#server/lib/storable.ts"
import { Failure, isErrorCode } from "#shared/errors.ts"
import type { PageHandler } from "./pages.ts"
import { type Asked, answerPage, exceedsPageRate, type PageOptions } from "./pages-api.ts"

/** Characters of a page's address: all of ours are far shorter, and an answer may repeat it several times. */
const MAX_PAGE_ADDRESS = 2048

/** One at a time would be as fast, as one thread renders them; each that has begun takes a megabyte. */
const rendering = new Turns({ atOnce: 6, forEach: 3 })
/** Files that pages consist of: each takes a third of a megabyte, for its compression, until it is sent. */
const sending = new Turns({ atOnce: 32, forEach: 8 })

/** Serves a page, its files, and what is below /api. Errors: those of what it asks for, as a Failure. */
export async function servePage(
  options: PageOptions & { pages: PageHandler },
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
      `The URL is longer than ${MAX_PAGE_ADDRESS} characters. Shorten it.`,
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
  else reply.failure(new Failure("method_not_allowed", `Pages support ${reply.allow} only.`))
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
