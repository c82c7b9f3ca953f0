import type { IncomingMessage } from "node:http"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import { deployment } from "#domain/deployment"
import { readView } from "#domain/kyc"
import type { IncomingPage } from "#server/pages/pages-api.ts"
import { type Failure, statusOf } from "#shared/errors.ts"
import { isLanguage, type Language, preferredLanguage } from "#shared/languages.ts"
import { renderPage } from "./page.ts"
import type { Shown } from "./states.ts"
import { wordsIn } from "./words.ts"

const compress = promisify(gzip)

type PageRequest = Pick<IncomingPage, "request" | "response" | "url" | "client">

const page = /^\/verify\/([^/?]+)(?:\?|$)/

/** Whether a request reads a hosted page. */
export const isHostedPage = ({ request: { method }, url }: PageRequest): boolean =>
  (method === "GET" || method === "HEAD") && page.test(url)

/** Serves the hosted page in its session's state. `nonce` is the one in the response's policy. */
export async function serveHostedPage(incoming: PageRequest, nonce: string): Promise<void> {
  const opens = isInvestor(incoming.request)
  const shown = await readView(decodeURIComponent(page.exec(incoming.url)![1]!), { isBack: true, opens })
  await send(incoming, nonce, shown, shown.state === "unknown" ? 404 : 200)
}

/**
 * Whether a browser opens the page for a reader. Programs that preview a link in a chat send none of these headers, and
 * a member of the company who tries the link is signed in to the dashboard.
 */
function isInvestor({ method, headers }: IncomingMessage): boolean {
  if (method !== "GET" || headers["sec-fetch-dest"] !== "document" || headers["sec-purpose"] !== undefined) return false
  return !/(?:^|; )(?:__Secure-)?vouch\.session_token=/.test(headers.cookie ?? "")
}

/** Serves a page which says that the session cannot be read now. The page retries by itself. */
export async function serveFailure(
  incoming: PageRequest,
  nonce: string,
  { code, retryAfterSeconds }: Failure,
): Promise<void> {
  if (retryAfterSeconds !== undefined) incoming.response.setHeader("Retry-After", String(retryAfterSeconds))
  await send(incoming, nonce, { state: "failed" }, statusOf(code))
}

async function send({ request, response, url, client }: PageRequest, nonce: string, shown: Shown, status: number) {
  const { language, isChosen } = languageOf(request, url)
  // Without the query: another device has its own language.
  const address = `${deployment.origin}/verify/${page.exec(url)![1]}`
  const markup = Buffer.from(renderPage({ shown, words: wordsIn(language), address, nonce }))
  const isCompressed = acceptsGzip(request)
  const body = isCompressed ? await compress(markup) : markup
  response.writeHead(status, {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Language": language,
    "Content-Length": body.length,
    // Private to the holder of the link, and soon out of date.
    "Cache-Control": "no-store",
    "X-Robots-Tag": "noindex, nofollow",
    ...(isCompressed && { "Content-Encoding": "gzip" }),
    ...(isChosen && { "Set-Cookie": languageCookie(language, client.secure) }),
  })
  response.end(request.method === "HEAD" ? undefined : body)
}

const COOKIE = "vouch.language"
/** The longest time that a session can be open. */
const REMEMBERED_SECONDS = 30 * 86_400

/** The language in the address, else the one chosen before, else the browser's. */
function languageOf({ headers }: IncomingMessage, url: string): { language: Language; isChosen: boolean } {
  const asked = new URLSearchParams(url.split("?")[1]).get("lang")?.toLowerCase() ?? ""
  if (isLanguage(asked)) return { language: asked, isChosen: true }
  const remembered = new RegExp(`(?:^|; )${COOKIE}=(\\w+)`).exec(headers.cookie ?? "")?.[1] ?? ""
  return {
    language: isLanguage(remembered) ? remembered : preferredLanguage(headers["accept-language"]),
    isChosen: false,
  }
}

const languageCookie = (language: Language, secure: boolean): string =>
  `${COOKIE}=${language}; Path=/verify; Max-Age=${REMEMBERED_SECONDS}; HttpOnly; SameSite=Lax${secure ? "; Secure" : ""}`

const acceptsGzip = ({ headers }: IncomingMessage): boolean =>
  /(?:^|,)\s*(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))|,|$)/.test(String(headers["accept-encoding"] ?? ""))
