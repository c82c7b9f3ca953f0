import type { ErrorCode } from "./contract.ts"
import { VouchError } from "./errors.ts"
import type { AsyncOptions } from "./options.ts"
import { sleep } from "./time.ts"

const MAX_RETRIES = 4
const TIMEOUT_MS = 60_000
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 8_000
/** A longer Retry-After throws the error instead of waiting. */
const LONGEST_RETRY_AFTER_SECONDS = 60
/** Server errors that no retry can fix. */
const PERMANENT: readonly string[] = ["provider_not_configured", "chain_not_configured"]
/** Other errors whose retry may succeed. */
const PASSING: readonly string[] = ["rate_limited", "idempotency_in_progress"]

export type Connection = {
  /** With the version, without a trailing slash. */
  baseUrl: string
  apiKey: string | undefined
  fetch: typeof fetch
  timeoutMs: number | undefined
  maxRetries: number | undefined
}

/** When to poll for a record of a 202, in seconds. */
const comeBack = new WeakMap<object, number>()
export const comeBackAfter = (record: unknown): number | null =>
  (typeof record === "object" && record !== null && comeBack.get(record)) || null

export type Call = {
  method: string
  path: string
  body: string | undefined
  options: AsyncOptions
  /** The media type of the response. Only JSON is parsed. */
  accept: "application/json" | "text/csv"
}

/** Sends a request until it is answered, and returns the body. Throws a `VouchError`, or the signal's reason. */
export async function send<T>(connection: Connection, call: Call): Promise<T> {
  const { signal, maxRetries = connection.maxRetries ?? MAX_RETRIES } = call.options
  // All attempts share one key, so that the server runs the request once.
  const headers = headersOf(connection, call)
  for (let attempt = 0; ; attempt++) {
    signal?.throwIfAborted()
    try {
      return (await sendOnce(connection, call, headers)) as T
    } catch (error) {
      if (!(error instanceof VouchError) || attempt >= maxRetries || !mayPass(error)) throw error
      await sleep(pauseMs(attempt, error.retryAfterSeconds), signal)
    }
  }
}

function headersOf({ apiKey }: Connection, { method, body, accept, options }: Call): Record<string, string> {
  const headers: Record<string, string> = { Accept: accept }
  if (apiKey !== undefined) headers.Authorization = `Bearer ${apiKey}`
  if (body !== undefined) headers["Content-Type"] = "application/json"
  if (method !== "GET") headers["Idempotency-Key"] = options.idempotencyKey ?? crypto.randomUUID()
  if (options.respondAsync) headers.Prefer = "respond-async"
  return headers
}

async function sendOnce(connection: Connection, call: Call, headers: Record<string, string>): Promise<unknown> {
  const { method, path, body, accept, options } = call
  const { signal, timeoutMs = connection.timeoutMs ?? TIMEOUT_MS } = options
  const ending = new AbortController()
  const end = () => ending.abort()
  const timer = setTimeout(end, timeoutMs)
  signal?.addEventListener("abort", end, { once: true })
  try {
    const response = await connection.fetch(connection.baseUrl + path, {
      method,
      headers,
      signal: ending.signal,
      // Never sends the API key to another server.
      redirect: "manual",
      ...(body !== undefined && { body }),
    })
    return read(response, await response.text(), accept)
  } catch (cause) {
    signal?.throwIfAborted()
    if (cause instanceof VouchError) throw cause
    if (ending.signal.aborted)
      throw new VouchError("timeout", `No response from ${connection.baseUrl} within ${timeoutMs} ms.`)
    throw new VouchError(
      "connection_failed",
      `The connection to ${connection.baseUrl} failed: ${reasonOf(cause)}. Check baseUrl, and that Vouch is running.`,
      { cause },
    )
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener("abort", end)
  }
}

/** The cause below fetch's "fetch failed", such as ECONNREFUSED. */
function reasonOf(error: unknown): string {
  const { cause, code, message } = error as { cause?: unknown; code?: unknown; message?: string }
  if (cause) return reasonOf(cause)
  return String(code ?? message ?? error)
}

/** The body of a successful response. Throws the error of others. */
function read(response: Response, text: string, accept: Call["accept"]): unknown {
  const { status, headers, ok } = response
  if (ok && text === "") return undefined
  if (ok && accept === "text/csv" && headers.get("content-type")?.startsWith(accept)) return text
  const body = parse(text)
  if (ok && accept === "application/json" && body !== undefined) {
    const seconds = retryAfter(headers.get("retry-after"))
    if (status === 202) refuseAwaiting(body as object)
    if (status === 202 && seconds !== null) comeBack.set(body as object, seconds)
    return body
  }
  const { error, detail, request_id } = (body ?? {}) as Record<string, unknown>
  const about = {
    status,
    retryAfterSeconds: retryAfter(headers.get("retry-after")),
    resumeCursor: headers.get("resume-cursor"),
  }
  if (!ok && typeof error === "string")
    throw new VouchError(error as ErrorCode, String(detail), { ...about, requestId: String(request_id) })
  const requestId = headers.get("x-request-id")
  throw new VouchError("unexpected_response", `The response with status ${status} is not the API's.`, {
    ...about,
    requestId,
  })
}

/** An approval in place of the record that the method returns. An operation that waits is returned with its status. */
function refuseAwaiting(body: object): void {
  if (!("approval_id" in body && "digest" in body)) return
  const approvalId = String(body.approval_id)
  const detail = `This needs the approval of other members. Nothing has happened yet. Poll getApproval({ id: "${approvalId}" }).`
  throw new VouchError("awaiting_approval", detail, { status: 202, approvalId })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Seconds, from a number of them or from a date. */
function retryAfter(header: string | null): number | null {
  if (!header) return null
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  return Number.isNaN(seconds) ? null : Math.max(0, seconds)
}

/** Whether a retry may succeed. Retrying is always safe: a request only reads, or has an idempotency key. */
function mayPass({ code, status, retryAfterSeconds }: VouchError): boolean {
  if (retryAfterSeconds !== null && retryAfterSeconds > LONGEST_RETRY_AFTER_SECONDS) return false
  if (status === null) return true
  return status >= 500 ? !PERMANENT.includes(code) : PASSING.includes(code)
}

/** Never earlier than the server says. Otherwise longer each time, with a random part to spread clients. */
function pauseMs(attempt: number, retryAfterSeconds: number | null): number {
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** attempt, LONGEST_PAUSE_MS)
  if (retryAfterSeconds !== null) return retryAfterSeconds * 1000 + (Math.random() * pause) / 4
  return pause * (0.5 + Math.random() / 2)
}
