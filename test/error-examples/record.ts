import { Keypair } from "@solana/web3.js"
import { derivedId, type IdPrefix } from "#server/lib/ids.ts"
import { addressOf } from "#server/solana/addresses.ts"
import type { Example } from "./example.ts"

/** The headers that matter to a reader. */
const SHOWN = [
  "content-type",
  "idempotency-key",
  "webhook-id",
  "webhook-timestamp",
  "webhook-signature",
  "stripe-signature",
]
/** The same of a response. */
const ANSWERED = ["allow", "www-authenticate", "retry-after", "location"]
const LONGEST = 200

/** Values that change in each run, and their placeholders in the record. */
const standIns: readonly [pattern: RegExp, standIn: (found: string, n: number) => string][] = [
  [/(?<=user_id\\": \\")[\w-]{20,}/g, () => "Zx3vKq8LmWt5YbRn2HsPd7FgJc4AeUo9"],
  [/(?<=digest\\": \\")[\w-]{43}/g, () => "-RUVASmpDpf885nY2xfZijJ-uIArrSKMxvIPeo61XV8"],
  [/(?<=rows\\": \\")[\w-]{20,}/g, () => "U2fG9PlIvpv0_DDjjiiuyqwR9Yd3oQolBnml9NA"],
  [/\bevt_[0-9a-z]{16,22}@example\.com/g, () => "grace@example.com"],
  [
    /\b(?:att|sess|inv|op|hold|rec|snap|dist|pay|evt|whe|era|req|rev|apr|apol|key|ws|acct|blk|flt|note|user)_[1-9A-HJ-NP-Za-km-z]{16,22}\b/g,
    (found, n) => derivedId(found.split("_")[0] as IdPrefix, `example ${n}`),
  ],
  [
    /(?<![\w])[1-9A-HJ-NP-Za-km-z]{40,44}(?![\w=])/g,
    (_, n) => addressOf(Keypair.fromSeed(Buffer.alloc(32, n + 1)).publicKey),
  ],
  [/(?<=v1,)[0-9A-Za-z+/]{43}=/g, () => "3q2+7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="],
  [/(?<=v1=)[0-9a-f]{64}/g, () => "5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd"],
  [/(?<="retry-after":")\d+/g, () => "30"],
  [/(?<=\bslot )\d+/g, () => "285412093"],
  [/\b1[0-9]{9}\b/g, () => "1767323045"],
  [/\b20(?!99)[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z/g, () => "2026-02-01T00:00:00Z"],
]

/** The example for the documentation: identical in each run as long as the server's responses are. */
export function recordOf({ sent, response }: Example) {
  const { method, path, key, json, body, idempotencyKey } = sent
  const given = {
    ...sent.headers,
    ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
  }
  const headers = {
    ...(key !== undefined && { authorization: `Bearer ${/^vouch_\w{44,}$/.test(key) ? "<API_KEY>" : key}` }),
    ...(json !== undefined && { "content-type": "application/json" }),
    ...Object.fromEntries(Object.entries(given).filter(([name]) => SHOWN.includes(name))),
  }
  const text = json === undefined ? body?.toString() : JSON.stringify(shortened(json), null, 2)
  const request = {
    method,
    path: path.startsWith("/api/") ? path : `/v1${path}`,
    headers,
    ...(text !== undefined && { body: text }),
  }
  return steady({ request, status: response.status, headers: headersOf(response), body: response.json })
}

const headersOf = ({ headers }: Example["response"]): Record<string, string> =>
  Object.fromEntries(ANSWERED.flatMap((name) => (headers?.[name] === undefined ? [] : [[name, String(headers[name])]])))

const shortened = (json: unknown): unknown =>
  JSON.parse(
    JSON.stringify(json, (_, value) =>
      typeof value === "string" && value.length > LONGEST
        ? `${value.slice(0, 20)}… (${value.length} characters)`
        : value,
    ),
  )

function steady<T>(example: T): T {
  let text = JSON.stringify(example)
  for (const [pattern, standIn] of standIns) {
    const found = new Map<string, string>()
    text = text.replace(pattern, (one) => {
      const known = found.get(one) ?? standIn(one, found.size)
      found.set(one, known)
      return known
    })
  }
  return JSON.parse(text)
}
