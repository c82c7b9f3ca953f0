/** Replaces a secret in a log. */
export const MASK = "[masked]"

// Secrets in wrong places: API keys, session ids, webhook secrets and signatures, with everything directly after them,
// which may be another one.
const SECRETS: [RegExp, string][] = [
  [/v1,[0-9a-z+/]{40}[\w+/=,]*/gi, "v1,…"],
  [/(vouch_(?:live|test)_[0-9a-z]{4})\w+/gi, "$1…"],
  [/sess_[0-9a-z]{8}\w*/gi, "sess_…"],
  [/renew_[0-9a-z]{8}[\w-]*/gi, "renew_…"],
  [/whsec_[\w+/=]+/gi, "whsec_…"],
]
/** A wallet's secret key, 64 bytes in base58. A transaction's signature is as long, but no request has one. */
const SECRET_KEY = /[1-9A-HJ-NP-Za-km-z]{80,}/
/** Any word that may contain one. All of it is removed, so that no part of a longer secret, such as a key in hex, is left. */
const LONG_WORD = /[\w-]{80,}/g

const hide = (text: string): string => SECRETS.reduce((rest, [pattern, start]) => rest.replace(pattern, start), text)

/** Every secret begins with one of these, and every escape has one of the last two. Most texts have none. */
const MAY_HOLD_SECRET = /v1,|vouch_|sess_|renew_|whsec_|[%\\]/i

/** A text without secrets, whether plain, percent-encoded or with JSON escapes. */
export const withoutSecrets = (text: string): string => (MAY_HOLD_SECRET.test(text) ? inEveryWriting(text, hide) : text)

/** The same, also without wallets' secret keys. */
export const withoutKeys = (text: string): string =>
  MAY_HOLD_SECRET.test(text)
    ? inEveryWriting(text, (written) => withoutLongWords(hide(written)))
    : withoutLongWords(text)

const withoutLongWords = (text: string): string =>
  text.length < 80 ? text : text.replace(LONG_WORD, (word) => (SECRET_KEY.test(word) ? MASK : word))

/** Length of a part of a key that no text contains by chance. Twice as many characters in a row contain one whole part. */
const PART_OF_KEY = 8

/** Finds an API key in a text, even split, in hex or base64: the request's own, which ends up in wrong places. */
export function finderOf(key: string): (text: string) => boolean {
  const written = Buffer.from(key)
  // Base64 of the same text at another offset has the same characters, except for the first few.
  const shifted = [0, 1, 2].map((skipped) => written.subarray(skipped).toString("base64url"))
  const forms = [key.slice(key.lastIndexOf("_") + 1), written.toString("hex"), ...shifted]
  const parts = forms.flatMap((form) => form.match(new RegExp(`.{${PART_OF_KEY}}`, "g")) ?? [])
  return (text) => {
    const plain = resolveAll(text) ?? text
    return parts.some((part) => plain.includes(part))
  }
}

/** The most nested encodings to decode. No honest text has as many, so deeper content is not kept. */
const MAX_LAYERS = 5

/** Hides secrets that appear once escapes are resolved. A text without any keeps its escapes. */
function inEveryWriting(text: string, hide: (text: string) => string): string {
  const plain = resolveAll(text)
  if (plain === null) return MASK
  const kept = hide(plain)
  return kept === plain ? text : kept
}

/** A text with its escapes resolved. Null if there are too many layers. */
function resolveAll(text: string): string | null {
  let plain = text
  for (let layers = 0; layers <= MAX_LAYERS; layers++) {
    const resolved = resolveEscapes(plain)
    if (resolved === plain) return plain
    plain = resolved
  }
  return null
}

// `%5F` with its `%` encoded any number of times, `\x5f`, `\u005f` and `%u005f`, with repeated or encoded backslashes.
const ESCAPE = /(?:\\|%(?:25)*5c){1,8}(?:u00|x)([0-9a-f]{2})|%(?:25)*(?:u00)?([0-9a-f]{2})/gi
/** Resolves only characters that occur in secrets, so that JSON stays JSON. */
const PART_OF_SECRET = /[\w%,+/=]/

const resolveEscapes = (text: string): string =>
  text.replace(ESCAPE, (whole, a: string | undefined, b: string | undefined) => {
    const char = String.fromCharCode(Number.parseInt((a ?? b)!, 16))
    return PART_OF_SECRET.test(char) ? char : whole
  })
