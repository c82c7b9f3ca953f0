import type { IncomingHttpHeaders } from "node:http"
import { LRUCache } from "lru-cache"
import { maskedFields } from "#domain/attestations"
import { MASK, withoutKeys, withoutSecrets } from "#server/lib/without-secrets.ts"
import { isRuleName } from "#shared/rules/fields.ts"
import { ruleOf } from "#shared/rules/rules.ts"

/** The largest body to keep, in bytes. */
const MAX_BODY_BYTES = 16 * 1024
/** The same for a refused request, whose sender chooses the content and may repeat it as often as the rate allows. */
const MAX_REFUSED_BODY_BYTES = 1024
/** The longest path and header to keep, in characters. */
const MAX_TEXT = 1000

/** Headers that say how a request was made and not by whom. All others are left out. */
const HEADERS = [
  "accept",
  "content-encoding",
  "content-length",
  "content-type",
  "idempotency-key",
  "prefer",
  "user-agent",
]

/** The most header texts to cache. A client sends the same ones with every request. */
const MOST_KNOWN = 1000
/** The longest headers to cache, in characters. */
const MAX_KNOWN_TEXT = 1000
const known = new LRUCache<string, string>({ max: MOST_KNOWN })

/** The headers that are kept, as JSON. */
export function headersAsJson(headers: IncomingHttpHeaders): string {
  // An idempotency key differs each time, so the cache would not help.
  if (headers["idempotency-key"] !== undefined) return JSON.stringify(maskHeaders(headers))
  let name = headers.authorization ?? ""
  for (const header of HEADERS) name += `\n${headers[header] ?? ""}`
  if (name.length > MAX_KNOWN_TEXT) return JSON.stringify(maskHeaders(headers))
  let json = known.get(name)
  if (json === undefined) {
    json = JSON.stringify(maskHeaders(headers))
    known.set(name, json)
  }
  return json
}

/** The headers to keep. Of the API key only the start, which the list of keys also shows. */
export function maskHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const kept: Record<string, string> = {}
  if (headers.authorization !== undefined) kept.authorization = withoutSecrets(headers.authorization)
  for (const name of HEADERS) {
    const value = headers[name]
    if (value !== undefined) kept[name] = withoutKeys(String(value)).slice(0, MAX_TEXT)
  }
  return kept
}

/** A path with its query. Only known parameters of the endpoint keep their values. */
export function maskPath(target: string, fields: ReadonlySet<string> | null): string {
  const cut = target.indexOf("?")
  const path = cut < 0 ? target : `${target.slice(0, cut)}?${maskQuery(target.slice(cut + 1), fields)}`
  return withoutKeys(path).slice(0, MAX_TEXT)
}

const maskQuery = (query: string, fields: ReadonlySet<string> | null): string =>
  query
    .split("&")
    .map((pair) => {
      const equals = pair.indexOf("=")
      if (equals < 0) return pair
      const name = pair.slice(0, equals)
      return fields?.has(name) && !maskedFields.has(name) ? pair : `${name}=${MASK}`
    })
    .join("&")

/** A request body. Only known fields of the endpoint keep their values. */
export function maskRequestBody(bytes: Buffer, fields: ReadonlySet<string>): string | null {
  if (bytes.length === 0) return null
  if (bytes.length > MAX_BODY_BYTES) return tooLong(bytes.length)
  let value: unknown
  try {
    value = JSON.parse(bytes.toString("utf8"), asWritten as Parameters<typeof JSON.parse>[1])
  } catch {
    return `(${bytes.length} bytes that are not JSON)`
  }
  const mask = ([name, value]: [string, unknown]) => [
    name,
    fields.has(name) || value === null ? maskField(name, value) : MASK,
  ]
  return withoutKeys(JSON.stringify(isObject(value) ? Object.fromEntries(Object.entries(value).map(mask)) : MASK))
}

/** The address of a webhook endpoint, whose path may be a secret of the consumer. */
const WEBHOOK_URL = "url"
/** Signing secrets, what was sent to consumers, and their responses. */
const ofWebhooks: ReadonlySet<string> = new Set(["secret", "body", "headers", "response"])
const addresses: ReadonlySet<string> = new Set(["redirectUrl", WEBHOOK_URL])

/** The value of a request's field, masked if it is secret, personal, or an object or list in an unexpected place. */
function maskField(name: string, value: unknown): unknown {
  if (value === null) return null
  if (maskedFields.has(name)) return MASK
  if (addresses.has(name)) return maskUrl(value)
  if (name === "rules" && isObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([rule, limit]) => [rule, isRuleName(rule) ? maskRule(limit) : MASK]),
    )
  }
  return isObject(value) || Array.isArray(value) ? MASK : value
}

const maskRule = (limit: unknown): unknown =>
  Array.isArray(limit) ? limit.map((one) => (typeof one === "string" ? one : MASK)) : isObject(limit) ? MASK : limit

/** The origin of a URL, whose path and query may name a person or be a secret. */
function maskUrl(url: unknown): string {
  if (typeof url !== "string" || !URL.canParse(url)) return MASK
  const { origin, pathname, search } = new URL(url)
  if (origin === "null") return MASK
  return pathname === "/" && search === "" ? origin : `${origin}/${MASK}`
}

/** A response without any of these is kept as `JSON.stringify` wrote it. Errors are always parsed, for their code. */
const HAS_MASKED_FIELD = new RegExp(`"error":"|"(?:${[...maskedFields, ...ofWebhooks, WEBHOOK_URL].join("|")})":`)

/** A response body, with the code if it is an error. */
export function maskResponseBody(body: string): { text: string | null; code: string | null } {
  if (body === "") return { text: null, code: null }
  if (body.length > MAX_BODY_BYTES) return { text: tooLong(Buffer.byteLength(body)), code: null }
  if (!HAS_MASKED_FIELD.test(body)) return { text: withoutSecrets(body), code: null }
  const value = JSON.parse(body, (name, value) => {
    if (value === null) return null
    if (name === WEBHOOK_URL) return maskUrl(value)
    return maskedFields.has(name) || ofWebhooks.has(name) ? MASK : value
  })
  const code = typeof value.error === "string" ? value.error : null
  // The caller may learn what a rule found in the investor's claims, but readers of the log may not.
  if (code !== null && ruleOf(code)?.readsClaims) value.detail = String(value.detail).replace(/: .*/s, `: ${MASK}`)
  return { text: withoutSecrets(JSON.stringify(value)), code }
}

/** The start of a refused request's body, up to a whole word: masking and erasing would miss a part of one. */
export function startOfBody(text: string): string {
  const bytes = Buffer.byteLength(text)
  if (bytes <= MAX_REFUSED_BODY_BYTES) return text
  const note = ` … (${bytes} bytes in all)`
  const start = Buffer.from(text)
    .subarray(0, MAX_REFUSED_BODY_BYTES - Buffer.byteLength(note))
    .toString("utf8")
  return start.replace(/[^\s"':,[\]{}]*$/, "") + note
}

const tooLong = (bytes: number) => `(${bytes} bytes, more than are kept)`

/** A number as it was written, because a double cannot hold every number exactly. */
type Raw = { rawJSON: string }

// Node has JSON.rawJSON and the reviver's third argument, but TypeScript's types do not have them yet.
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON: (source: string) => Raw
  isRawJSON: (value: unknown) => boolean
}
const asWritten = (_name: string, value: unknown, context: { source: string }): unknown =>
  typeof value === "number" ? rawJSON(context.source) : value

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isRawJSON(value)
