/** Replaces a secret in a log. */
export const MASK = "[masked]"

// Secrets, wherever they were put by mistake: API keys, session ids, webhook secrets and signatures; with
// everything directly behind them, which may be another one.
const SECRETS: [RegExp, string][] = [
  [/v1,[0-9a-z+/]{40}[\w+/=,]*/gi, "v1,…"],
  [/(vouch_(?:live|test)_[0-9a-z]{4})\w+/gi, "$1…"],
  [/sess_[0-9a-z]{8}\w*/gi, "sess_…"],
  [/renew_[0-9a-z]{8}[\w-]*/gi, "renew_…"],
  [/whsec_[\w+/=]+/gi, "whsec_…"],
]
/**
 * The 64 bytes of a wallet's secret key in base58. A transaction's signature is as long, but no request carries one.
 */
const SECRET_KEY = /[1-9A-HJ-NP-Za-km-z]{80,}/
/** A word that may hold one: it goes as a whole, so that no part of something longer, such as a key in hex, is left. */
const LONG_WORD = /[\w-]{80,}/g

const hide = (text: string): string =>
  SECRETS.reduce((rest, [pattern, start]) => rest.replace(pattern, start), text)

/** Every secret begins with one of these, and every escape has one of the last two: most texts have none. */
const MAY_HOLD_SECRET = /v1,|vouch_|sess_|renew_|whsec_|[%\\]/i

/** A text without what opens anything, however it is written: plain, percent-encoded, or with JSON's escapes. */
export const withoutSecrets = (text: string): string =>
  MAY_HOLD_SECRET.test(text) ? inEveryWriting(text, hide) : text

/** The same, without wallets' secret keys as well. */
export const withoutKeys = (text: string): string =>
  MAY_HOLD_SECRET.test(text)
    ? inEveryWriting(text, (written) => withoutLongWords(hide(written)))
    : withoutLongWords(text)

const withoutLongWords = (text: string): string =>
  text.length < 80 ? text : text.replace(LONG_WORD, (word) => (SECRET_KEY.test(word) ? MASK : word))

/** Characters of a key that no text holds by chance: whatever has twice as many in a row has one such part whole. */
const PART_OF_KEY = 8

/**
 * What finds an API key in a text, be it without its prefix, broken in two, or in hex or base64. Made for the key that
 * a request came with: that one is what ends up in a wrong place.
 */
export function finderOf(key: string): (text: string) => boolean {
  const written = Buffer.from(key)
  // Base64 of a text that begins elsewhere has the same characters, but for the first few.
  const shifted = [0, 1, 2].map((skipped) => written.subarray(skipped).toString("base64url"))
  const forms = [key.slice(key.lastIndexOf("_") + 1), written.toString("hex"), ...shifted]
  const parts = forms.flatMap((form) => form.match(new RegExp(`.{${PART_OF_KEY}}`, "g")) ?? [])
  return (text) => {
    const plain = resolveAll(text) ?? text
    return parts.some((part) => plain.includes(part))
  }
}

/** Encodings around one another that are looked through. Nobody has so many: what lies beneath is not kept. */
const MAX_LAYERS = 5

/** Hides what is there once escapes are resolved. A text in which nothing is keeps its escapes. */
function inEveryWriting(text: string, hide: (text: string) => string): string {
  const plain = resolveAll(text)
  if (plain === null) return MASK
  const kept = hide(plain)
  return kept === plain ? text : kept
}

/** A text without its escapes; null where there are too many layers of them. */
function resolveAll(text: string): string | null {
  let plain = text
  for (let layers = 0; layers <= MAX_LAYERS; layers++) {
    const resolved = resolveEscapes(plain)
    if (resolved === plain) return plain
    plain = resolved
  }
  return null
}

// `%5F` however often its `%` was encoded again, `\x5f`, `\u005f` and `%u005f`, a backslash itself being one of many or
// encoded.
const ESCAPE = /(?:\\|%(?:25)*5c){1,8}(?:u00|x)([0-9a-f]{2})|%(?:25)*(?:u00)?([0-9a-f]{2})/gi
/** Resolved are only characters that a secret consists of: what was JSON stays JSON. */
const PART_OF_SECRET = /[\w%,+/=]/

const resolveEscapes = (text: string): string =>
  text.replace(ESCAPE, (whole, a: string | undefined, b: string | undefined) => {
    const char = String.fromCharCode(Number.parseInt((a ?? b)!, 16))
    return PART_OF_SECRET.test(char) ? char : whole
  })
