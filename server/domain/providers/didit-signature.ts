import type { IncomingHttpHeaders } from "node:http"
import { isHexHmac } from "./hex-signature.ts"
import { isNow } from "./timed-signature.ts"

/**
 * Whether Didit signed a webhook, now (https://docs.didit.me/integration/webhooks): the very bytes by `X-Signature`, or
 * else their meaning by `X-Signature-V2`, for where something on the way has written the JSON anew. `X-Signature-Simple` is
 * not looked at, because it does not cover the decision; what has no signature is refused.
 */
export function isSignedByDidit(
  headers: IncomingHttpHeaders,
  body: Buffer,
  secrets: readonly string[],
): boolean {
  // The header's time is not signed, the body's is: both are sent anew with each attempt.
  const at = headers["x-timestamp"]
  if (typeof at !== "string" || !/^[1-9][0-9]{0,11}$/.test(at) || !isNow(Number(at))) return false
  const event = read(body)
  // One without a time is signed for ever: whoever reads it refuses it for good.
  if (event?.timestamp !== undefined && !(typeof event.timestamp === "number" && isNow(event.timestamp)))
    return false
  if (isHexHmac(headers["x-signature"], body, { secrets })) return true
  const meaning = headers["x-signature-v2"]
  if (meaning === undefined || event === null) return false
  const text = canonical(event)
  if (text === null) return false
  // Its documents show two forms, with the header's time before it and without; an older one escapes all that is not ASCII.
  const forms = [text, escaped(text)].flatMap((form) => [`${at}:${form}`, form])
  return forms.some((form) => isHexHmac(meaning, form, { secrets }))
}

/** The body as JSON, only to see its time; null where it is no object. */
function read(body: Buffer): Record<string, unknown> | null {
  try {
    const json: unknown = JSON.parse(body.toString("utf8"))
    return typeof json === "object" && json !== null && !Array.isArray(json)
      ? (json as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}

/** Deepest nesting that is written anew; what is deeper is not signed this way. */
const MAX_DEPTH = 32

/** JSON with sorted members and no spaces; 5.0 is written 5. Null where it is nested too deeply. */
function canonical(value: unknown, depth = 0): string | null {
  if (depth > MAX_DEPTH) return null
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) {
    const elements = value.map((one) => canonical(one, depth + 1))
    return elements.includes(null) ? null : `[${elements.join(",")}]`
  }
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, one]) => [JSON.stringify(name), canonical(one, depth + 1)] as const)
  if (members.some(([, text]) => text === null)) return null
  return `{${members.map(([name, text]) => `${name}:${text}`).join(",")}}`
}

const escaped = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all that is not ASCII
  text.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
