import http from "node:http"
import https from "node:https"
import { clock } from "#server/lib/time.ts"
import { answerWithin_s, keptAnswer_chars } from "#shared/webhooks.ts"
import { checkLiteral, lookupFor, Refused } from "./destination.ts"
import { headersOf } from "./sent.ts"

/** Bytes of a response to read. */
const READ_BYTES = 16 * 1024
/** The longest pause that a consumer may ask for. */
const LONGEST_RETRY_AFTER_S = 86_400

/** The outcome of an attempt. It succeeded if `error` is null. */
export type Outcome = {
  at: Date
  latency_ms: number
  /** Null if there was no response. */
  statusCode: number | null
  /** Why it counts as failed, for the endpoint's owner. */
  error: string | null
  /** The start of the response's body. */
  response: string | null
  /** From the header Retry-After. */
  retryAfter_s: number | null
}

/** Connections to one endpoint, kept while something is sent to it. */
export function openAgent(url: string, connections: number): http.Agent {
  const { protocol } = new URL(url)
  const options = { keepAlive: true, maxSockets: connections, lookup: lookupFor(protocol) }
  return protocol === "http:" ? new http.Agent(options) : new https.Agent(options)
}

/** The process ended before there was a response, so the outcome is unknown. */
export class Ended extends Error {}

/** Sends a body, once. Follows no redirects, and fails on a timeout. Rejects only with Ended, once `end` is aborted. */
export async function post(
  agent: http.Agent,
  url: string,
  { headers, body, at, end }: { headers: Record<string, string>; body: string; at: Date; end?: AbortSignal },
): Promise<Outcome> {
  const start = performance.now()
  const outcome = (rest: Partial<Outcome>): Outcome => ({
    at,
    latency_ms: Math.round(performance.now() - start),
    statusCode: null,
    error: null,
    response: null,
    retryAfter_s: null,
    ...rest,
  })
  const timeout = AbortSignal.timeout(answerWithin_s * 1000)
  const signal = end ? AbortSignal.any([timeout, end]) : timeout
  try {
    const answer = await exchange(agent, url, { headers, body, signal })
    return outcome({ ...answer, error: errorOf(answer.statusCode) })
  } catch (error) {
    if (end?.aborted) throw new Ended()
    return outcome({ error: reasonOf(error as NodeJS.ErrnoException, timeout) })
  }
}

function exchange(
  agent: http.Agent,
  url: string,
  { headers, body, signal }: { headers: Record<string, string>; body: string; signal: AbortSignal },
): Promise<Pick<Outcome, "statusCode" | "response" | "retryAfter_s">> {
  return new Promise((resolve, reject) => {
    const target = new URL(url)
    checkLiteral(target)
    const { request } = target.protocol === "http:" ? http : https
    const sent = request(target, {
      agent,
      method: "POST",
      signal,
      headers: headersOf(headers, body),
    })
    sent.on("error", reject)
    // Ends the request whatever the other side does. For some responses, Node emits neither an error nor a response,
    // and a caller that waits for one would wait indefinitely.
    signal.addEventListener("abort", () => reject(signal.reason), { once: true })
    sent.on("upgrade", ({ statusCode }, socket) => {
      socket.destroy()
      resolve({ statusCode: statusCode!, response: null, retryAfter_s: null })
    })
    let isAnswered = false
    sent.on("close", () => {
      if (!isAnswered) reject(new Error("The connection was closed without an answer"))
    })
    sent.on("response", (response) => {
      isAnswered = true
      response.on("close", () => reject(new Error("The connection was closed within the answer")))
      const chunks: Buffer[] = []
      let length = 0
      const end = () =>
        resolve({
          statusCode: response.statusCode!,
          response: textOf(Buffer.concat(chunks)),
          retryAfter_s: retryAfterOf(response.headers["retry-after"]),
        })
      response.on("error", reject)
      response.on("end", end)
      response.on("data", (chunk: Buffer) => {
        chunks.push(chunk)
        length += chunk.length
        if (length < READ_BYTES) return
        // The status is known, and the rest of the response is not needed.
        end()
        response.destroy()
      })
    })
    sent.end(body)
  })
}

/** Readable and storable text: no control characters except line breaks. */
const textOf = (bytes: Buffer): string | null =>
  bytes
    .toString("utf8")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what must go
    .replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g, "")
    .toWellFormed()
    .slice(0, keptAnswer_chars)
    .toWellFormed() || null

function retryAfterOf(header: string | undefined): number | null {
  if (header === undefined) return null
  const seconds = /^\d{1,9}$/.test(header) ? Number(header) : (Date.parse(header) - clock.now().getTime()) / 1000
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), LONGEST_RETRY_AFTER_S) : null
}

function errorOf(status: number | null): string | null {
  if (status !== null && status >= 200 && status < 300) return null
  if (status === 410) return "It answered 410: the endpoint is gone."
  if (status !== null && status >= 300 && status < 400) return `It answered ${status}. Redirects are not followed.`
  return `It answered ${status}.`
}

/** A readable form of Node's errors, without any address of Vouch or a resolver. */
function reasonOf(error: NodeJS.ErrnoException, signal: AbortSignal): string {
  if (error instanceof Refused) return error.message
  if (signal.aborted) return `It did not answer within ${answerWithin_s} s.`
  const { code = "" } = error instanceof AggregateError ? (error.errors[0] ?? error) : error
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "Its name cannot be resolved."
  if (code === "ECONNREFUSED") return "The connection was refused."
  if (/CERT|SIGNATURE|ISSUER|SELF_SIGNED|ALTNAME/.test(code)) return `Its certificate is not valid (${code}).`
  if (/^(?:EPROTO|ERR_SSL)/.test(code)) return "It does not speak TLS."
  if (code.startsWith("HPE_")) return "Its answer is not HTTP."
  return "The connection broke."
}
