import { hash, randomBytes } from "node:crypto"
import { crc32 } from "node:zlib"
import type { Mode } from "#shared/mode.ts"

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const RANDOM_BYTES = 24
/** Base62 characters that 24 bytes need: ⌈192 / log2(62)⌉. */
const RANDOM_LENGTH = 33
const CHECKSUM_LENGTH = 6
const SECRET_LENGTH = RANDOM_LENGTH + CHECKSUM_LENGTH
const SHAPE = new RegExp(`^vouch_(live|test)_[0-9A-Za-z]{${SECRET_LENGTH}}$`)

function base62(value: bigint, length: number): string {
  let text = ""
  for (let rest = value; text.length < length; rest /= 62n) text = BASE62[Number(rest % 62n)] + text
  return text
}

const checksum = (text: string): string => base62(BigInt(crc32(text)), CHECKSUM_LENGTH)

/** A new key: `vouch_{mode}_` + base62 of 24 random bytes + base62 of the CRC32 of everything before it. */
export function newApiKey(mode: Mode): string {
  const body = `vouch_${mode}_${base62(BigInt(`0x${randomBytes(RANDOM_BYTES).toString("hex")}`), RANDOM_LENGTH)}`
  return body + checksum(body)
}

/** Whether `key` can be valid, by its format and checksum, without the database. */
export function isWellFormedApiKey(key: string): boolean {
  return SHAPE.test(key) && key.slice(-CHECKSUM_LENGTH) === checksum(key.slice(0, -CHECKSUM_LENGTH))
}

const NOT_A_KEY = "API keys begin with vouch_live_ or vouch_test_."
const mixedUp: readonly (readonly [prefix: string, what: string])[] = [
  ["key_", "this is the id of an API key. Send the key itself, which is shown once, when it is created."],
  ["whsec_", `this is the secret that signs webhooks, not an API key. ${NOT_A_KEY}`],
]

/** What is wrong with a malformed key. The message does not repeat the text, which may be another secret. */
export function whyNoApiKey(text: string): string {
  const known = mixedUp.find(([prefix]) => text.startsWith(prefix))
  if (known) return known[1]
  const secret = /^vouch_(?:live|test)_(.*)$/.exec(text)?.[1]
  if (secret === undefined)
    return `this is not an API key. ${NOT_A_KEY} A dashboard session cannot be used here: create a key under API keys.`
  return secret.length === SECRET_LENGTH
    ? "this API key is mistyped: its checksum is wrong. Copy the whole key again, and do not change its beginning."
    : `this API key is incomplete or too long: after vouch_live_ or vouch_test_ a key has ${SECRET_LENGTH} characters, and this one has ${secret.length}. Copy the whole key again.`
}

/** SHA-256 of the whole key. Keys are stored and looked up by this hash. */
export const hashApiKey = (key: string): Buffer => hash("sha256", key, "buffer")

/** The start of a key: enough to recognize it, useless for guessing the rest. */
export const startOfApiKey = (key: string): string => key.slice(0, "vouch_live_".length + 4)
