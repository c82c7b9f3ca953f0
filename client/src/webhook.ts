import { areEqual, type Bytes, concat, fromBase64, utf8 } from "./bytes.ts"
import type { Event } from "./contract.ts"

/** The test event of an endpoint. */
export type TestEvent = {
  /** The same in every attempt. */
  id: string
  type: "webhook.test"
  /** UTC, ISO 8601, to the second. */
  occurred_at: string
  data: {
    /** The id of the tested endpoint. */
    endpoint_id: string
  }
}

type HeadersLike = { get(name: string): string | null }
export type WebhookHeaders = HeadersLike | Record<string, string | readonly string[] | undefined>

export type UnwrapOptions = {
  /** How many seconds the time of sending may differ. Default: 300. */
  toleranceSeconds?: number | undefined
  /** The current time, in place of this machine's. */
  now?: Date | undefined
}

const TOLERANCE_SECONDS = 300

/** A webhook that Vouch did not send, or that is too old. Respond with 401 and ignore its content. */
export class WebhookError extends Error {
  override readonly name = "WebhookError"
}

/**
 * Checks that a webhook comes from Vouch and returns its event. Throws a `WebhookError` otherwise. An event can arrive more
 * than once: remember its `id` and ignore repeats.
 *
 * `body` is the raw body, byte for byte, before anything parses it. `secret` is the endpoint's (`whsec_…`), or several
 * during a rotation.
 */
export async function unwrapEvent(
  body: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS, now = new Date() }: UnwrapOptions = {},
): Promise<Event | TestEvent> {
  // Not `<`, because NaN would accept everything.
  if (!(toleranceSeconds >= 0)) throw new TypeError("toleranceSeconds: must be a number of seconds")
  const secrets = [secret].flat() as string[]
  if (secrets.length === 0 || secrets.some((one) => typeof one !== "string" || one === ""))
    throw new TypeError("secret: pass the endpoint's secret, or several")
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => {
    const value = header(headers, name)
    if (!value) throw new WebhookError(`${name}: this header is missing`)
    return value
  }) as [string, string, string]
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookError("webhook-timestamp: must be seconds since 1970")
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > toleranceSeconds)
    throw new WebhookError("webhook-timestamp: too old, or too far in the future")
  const bytes = typeof body === "string" ? utf8(body) : new Uint8Array(body)
  const signed = concat(utf8(`${id}.${timestamp}.`), bytes)
  const given = signatures.split(" ").flatMap((one) => (one.startsWith("v1,") ? (fromBase64(one.slice(3)) ?? []) : []))
  if (!(await isSigned(signed, given, secrets)))
    throw new WebhookError("webhook-signature: no signature matches this body and secret")
  return parse(bytes)
}

/** Whether one of the signatures was made with one of the secrets. */
async function isSigned(signed: Bytes, signatures: readonly Bytes[], secrets: readonly string[]): Promise<boolean> {
  for (const secret of secrets) {
    const bytes = fromBase64(secret.replace(/^whsec_/, ""))
    if (!bytes?.length) throw new TypeError("secret: must be whsec_ and base64")
    const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"])
    const expected = new Uint8Array(await crypto.subtle.sign("HMAC", key, signed))
    if (signatures.some((signature) => areEqual(expected, signature))) return true
  }
  return false
}

function header(headers: WebhookHeaders, name: string): string | null {
  if (typeof headers.get === "function") return (headers as HeadersLike).get(name)
  const found = Object.entries(headers).find(([one]) => one.toLowerCase() === name)?.[1]
  return typeof found === "string" ? found : null
}

function parse(bytes: Uint8Array): Event | TestEvent {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
  } catch (cause) {
    throw new WebhookError("The body is not JSON.", { cause })
  }
}
