import type { IncomingHttpHeaders } from "node:http"
import { isHexHmac } from "./hex-signature.ts"
import { isNow } from "./timed-signature.ts"

/**
 * Whether Didit signed a webhook just now (https://docs.didit.me/integration/webhooks). `X-Signature` covers the exact bytes.
 * `X-Signature-V2` covers a canonical form of the JSON, in case a proxy has rewritten it. `X-Signature-Simple` is ignored,
 * because it does not cover the decision. A webhook without a signature is refused.
 */
export function isSignedByDidit(headers: IncomingHttpHeaders, body: Buffer, secrets: readonly string[]): boolean {
  // Only the time in the body is signed, not the one in the header. Each attempt sends new ones.
  const at = headers["x-timestamp"]
  if (typeof at !== "string" || !/^[1-9][0-9]{0,11}$/.test(at) || !isNow(Number(at))) return false
  const event = read(body)
  // A body without a time would stay valid indefinitely. `readEvent` refuses it.
  if (event?.timestamp !== undefined && !(typeof event.timestamp === "number" && isNow(event.timestamp))) return false
  if (isHexHmac(headers["x-signature"], body, { secrets })) return true
  const meaning = headers["x-signature-v2"]
  if (meaning === undefined || event === null) return false
  const text = canonical(event)
  if (text === null) return false
  // Didit documents two forms, with and without the header's time in front. An older form escapes everything but ASCII.
  const forms = [text, escaped(text)].flatMap((form) => [`${at}:${form}`, form])
  return forms.some((form) => isHexHmac(meaning, form, { secrets }))
}

/** Parses the body, to read its time; null if it is not an object. */
function read(body: Buffer): Record<string, unknown> | null {
  try {
    const json: unknown = JSON.parse(body.toString("utf8"))
    return typeof json === "object" && json !== null && !Array.isArray(json) ? (json as Record<string, unknown>) : null
  } catch {
    return null
  }
}

/** The deepest nesting that `canonical` serializes. A deeper body counts as not signed. */
const MAX_DEPTH = 32

/** JSON with sorted members and without spaces; 5.0 becomes 5. Null if it is nested too deeply. */
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
  // biome-ignore lint/suspicious/noControlCharactersInRegex: matches everything but ASCII
  text.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
