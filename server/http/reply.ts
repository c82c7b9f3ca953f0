import type { IncomingMessage, ServerResponse } from "node:http"
import { newId } from "#server/lib/ids.ts"
import { sendParts } from "#server/lib/parts.ts"
import type { RateLimitStatus } from "#server/lib/rate-limit.ts"
import { type ErrorCode, errors, Failure, statusOf } from "#shared/errors.ts"

/** Two years, as browsers' preload lists require. */
export const STRICT_TRANSPORT_SECURITY = "max-age=63072000; includeSubDomains"

/** How long the rest of a refused request is read before its connection ends. */
const LINGER_MS = 1000

/** An answer: the shared headers, and the error object. */
export class Reply {
  readonly #response: ServerResponse
  readonly #head: boolean
  readonly requestId: string
  /** The status that was sent, 0 before. */
  status = 0
  /** Empty for a document, and for text in parts. */
  body = ""
  /** The caller's rate limit status. */
  rate: RateLimitStatus | null = null
  /** Value of `Allow` for a wrong method. */
  allow: string | null = null

  constructor(response: ServerResponse, requestId: string, head: boolean) {
    this.#response = response
    this.requestId = requestId
    this.#head = head
  }

  send(
    status: number,
    body: string | Buffer,
    type: string | null,
    { replayed = false, extra = [] as string[], lingers = false } = {},
  ): void {
    if (this.#response.headersSent) return
    const headers = this.#headers(extra)
    if (type !== null) headers.push("Content-Type", type, "Content-Length", String(Buffer.byteLength(body)))
    if (replayed) headers.push("Idempotent-Replayed", "true")
    this.status = status
    this.body = typeof body === "string" ? body : ""
    this.#response.writeHead(status, headers)
    const content = this.#head || type === null ? "" : body
    if (lingers && !this.#response.req.complete) this.#linger(content)
    else this.#response.end(content)
  }

  /** Sends text whose length is not known, in parts. The body stays empty for the request log. */
  async sendParts(
    status: number,
    parts: AsyncIterable<string>,
    type: string,
    requireAccess: () => Promise<unknown>,
  ): Promise<void> {
    const head = () => {
      this.status = status
      this.#response.writeHead(status, [...this.#headers([]), "Content-Type", type])
    }
    if (!this.#head) return sendParts(this.#response, { parts, head, requireAccess })
    head()
    this.#response.end()
  }

  /** The headers of every response. */
  #headers(extra: readonly string[]): string[] {
    const headers = [
      "X-Request-Id",
      this.requestId,
      "Strict-Transport-Security",
      STRICT_TRANSPORT_SECURITY,
      "X-Content-Type-Options",
      "nosniff",
      "Cache-Control",
      "no-store",
      ...extra,
    ]
    if (this.rate !== null) headers.push(...rateHeaders(this.rate))
    if (this.allow !== null) headers.push("Allow", this.allow)
    return headers
  }

  /**
   * Sends everything, and ends the connection only once the request has arrived or its time is over. Closing a
   * connection with unread bytes resets it, and the client may see the reset instead of the answer.
   */
  #linger(content: string | Buffer): void {
    const { req } = this.#response
    this.#response.flushHeaders()
    if (content.length > 0) this.#response.write(content)
    const end = () => {
      clearTimeout(timer)
      this.#response.end()
    }
    const timer = setTimeout(end, LINGER_MS).unref()
    req.once("end", end).once("close", end).resume()
  }

  failure(failure: Failure): void {
    const { status, body } = this.failureBody(failure)
    const extra = Object.entries(failure.headers).flat()
    if (failure.retryAfterSeconds !== undefined) extra.push("Retry-After", String(failure.retryAfterSeconds))
    if (errors[failure.code].asksForKey) extra.push("WWW-Authenticate", "Bearer")
    if (failure.endsConnection) extra.push("Connection", "close")
    this.send(status, body, "application/json", { extra, lingers: failure.endsConnection })
  }

  failureBody(failure: Failure): { status: number; body: string } {
    const error = { error: failure.code, detail: failure.message, request_id: this.requestId }
    return { status: statusOf(failure.code), body: JSON.stringify(error) }
  }

  /** The client has disconnected. */
  abandon(): void {
    this.#response.destroy()
  }
}

/** The header of draft-ietf-httpapi-ratelimit-headers: what is left, and when the bucket is full again. */
const rateHeaders = ({ remaining, limit, resetSeconds }: RateLimitStatus): string[] => [
  "RateLimit-Policy",
  `"key";q=${limit};w=2`,
  "RateLimit",
  `"key";r=${remaining};t=${resetSeconds}`,
]

/** The error object for a request that reached no endpoint. */
export function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  code: ErrorCode,
  detail: string,
  retryAfterSeconds?: number,
): void {
  const options = retryAfterSeconds === undefined ? {} : { retryAfterSeconds }
  new Reply(response, newId("req"), request.method === "HEAD").failure(new Failure(code, detail, options))
}
