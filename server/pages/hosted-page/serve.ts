import type { IncomingMessage } from "node:http"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import { deployment } from "#server/domain/deployment.ts"
import { readView } from "#server/domain/kyc/hosted-page/read.ts"
import type { IncomingPage } from "#server/pages/pages-api.ts"
import { type Failure, statusOf } from "#shared/errors.ts"
import { isLanguage, type Language, preferredLanguage } from "#shared/languages.ts"
import { renderPage } from "./page.ts"
import type { Shown } from "./states.ts"
import { wordsIn } from "./words.ts"

const compress = promisify(gzip)

type Asked = Pick<IncomingPage, "request" | "response" | "url" | "client">

const page = /^\/verify\/([^/?]+)(?:\?|$)/

/** Whether somebody wants to read a hosted page. */
export const isHostedPage = ({ request: { method }, url }: Asked): boolean =>
  (method === "GET" || method === "HEAD") && page.test(url)

/** Serves the hosted page in the state that its session is in. `nonce` is that of the response's policy. */
export async function serveHostedPage(asked: Asked, nonce: string): Promise<void> {
  const shown = await readView(decodeURIComponent(page.exec(asked.url)![1]!), { isBack: true })
  await send(asked, nonce, shown, shown.state === "unknown" ? 404 : 200)
}

/** The hosted page while it cannot be served: it says so to a person, and tries again by itself. */
export async function serveFailure(asked: Asked, nonce: string, { code, retryAfterSeconds }: Failure): Promise<void> {
  if (retryAfterSeconds !== undefined) asked.response.setHeader("Retry-After", String(retryAfterSeconds))
  await send(asked, nonce, { state: "failed" }, statusOf(code))
}

async function send({ request, response, url, client }: Asked, nonce: string, shown: Shown, status: number) {
  const { language, isChosen } = languageOf(request, url)
  // Without what else was asked for, such as a language: another device has its own.
  const address = `${deployment.origin}/verify/${page.exec(url)![1]}`
  const markup = Buffer.from(renderPage({ shown, words: wordsIn(language), address, nonce }))
  const isCompressed = acceptsGzip(request)
  const body = isCompressed ? await compress(markup) : markup
  response.writeHead(status, {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Language": language,
    "Content-Length": body.length,
    // What it shows is for whoever has the link, and true for a moment.
    "Cache-Control": "no-store",
    "X-Robots-Tag": "noindex, nofollow",
    ...(isCompressed && { "Content-Encoding": "gzip" }),
    ...(isChosen && { "Set-Cookie": languageCookie(language, client.secure) }),
  })
  response.end(request.method === "HEAD" ? undefined : body)
}

const COOKIE = "vouch.language"
/** As long as a session can be open. */
const REMEMBERED_SECONDS = 30 * 86_400

/** The language that the address asks for, else the one that was chosen before, else the browser's. */
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
