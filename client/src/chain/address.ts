import { type Bytes, concat, utf8 } from "../bytes.ts"

const DIGITS = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
const ADDRESS_BYTES = 32
const SIGNATURE_BYTES = 64

export const TOKEN_2022 = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"
export const MEMO = "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr"
export const CLOCK = "SysvarC1ock11111111111111111111111111111111"
const ASSOCIATED_TOKEN = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL"

export function toBase58(bytes: Uint8Array): string {
  let number = 0n
  for (const byte of bytes) number = (number << 8n) | BigInt(byte)
  let text = ""
  for (; number > 0n; number /= 58n) text = DIGITS[Number(number % 58n)] + text
  const zeros = bytes.findIndex((byte) => byte !== 0)
  return "1".repeat(zeros === -1 ? bytes.length : zeros) + text
}

/** Null if a character is not a base58 digit. */
export function fromBase58(text: string): Bytes | null {
  let number = 0n
  for (const character of text) {
    const digit = DIGITS.indexOf(character)
    if (digit === -1) return null
    number = number * 58n + BigInt(digit)
  }
  const bytes: number[] = []
  for (; number > 0n; number >>= 8n) bytes.unshift(Number(number & 255n))
  return concat(new Uint8Array(/^1*/.exec(text)![0].length), Uint8Array.from(bytes))
}

/** The bytes of an address. Throws a `TypeError` that names the argument. */
export const addressBytes = (address: string, name: string): Bytes =>
  bytesOf(address, name, "an address", ADDRESS_BYTES)

/** The addresses of a question's issuer. Throws a `TypeError` if there is none, or one is invalid. */
export function issuersOf(issuer: string | readonly string[]): string[] {
  const issuers = [issuer].flat() as string[]
  for (const one of issuers) addressBytes(one, "issuer")
  if (issuers.length === 0) throw new TypeError("issuer: must be given")
  return issuers
}

/** The bytes of a transaction's signature. Throws a `TypeError` that names the argument. */
export const signatureBytes = (signature: string, name: string): Bytes =>
  bytesOf(signature, name, "a signature", SIGNATURE_BYTES)

function bytesOf(text: string, name: string, what: string, length: number): Bytes {
  // No number of this many bytes has more digits.
  const bytes = typeof text === "string" && text.length <= length * 1.4 ? fromBase58(text) : null
  if (bytes?.length !== length) throw new TypeError(`${name}: must be ${what}, base58 of ${length} bytes`)
  return bytes
}

// Ed25519 (RFC 8032, 5.1): the field's prime, and d of the curve -x² + y² = 1 + d x² y².
const P = 2n ** 255n - 19n
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n

const mod = (number: bigint): bigint => ((number % P) + P) % P

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  for (let square = base; exponent > 0n; exponent >>= 1n) {
    if (exponent & 1n) result = mod(result * square)
    square = mod(square * square)
  }
  return result
}

/** Whether 32 bytes are a point on the curve. Then they may be a key, and are not a program's address. */
export function isOnCurve(bytes: Uint8Array): boolean {
  let y = 0n
  for (let at = ADDRESS_BYTES - 1; at >= 0; at--) y = (y << 8n) | BigInt(bytes[at]!)
  const sign = y >> 255n
  y &= 2n ** 255n - 1n
  if (y >= P) return false
  const yy = mod(y * y)
  // x² = (y² - 1) / (d y² + 1), where a division is a multiplication by the inverse.
  const xx = mod((yy - 1n) * power(mod(D * yy + 1n), P - 2n))
  if (xx === 0n) return sign === 0n
  return power(xx, (P - 1n) / 2n) === 1n
}

const PROGRAM_ADDRESS = utf8("ProgramDerivedAddress")

/** The associated token account of a wallet for a mint of Token-2022. */
export async function tokenAccountOf(wallet: Bytes, mint: Bytes): Promise<string> {
  const [tokens, program] = [addressBytes(TOKEN_2022, "program"), addressBytes(ASSOCIATED_TOKEN, "program")]
  for (let bump = 255; bump >= 0; bump--) {
    const seeds = concat(wallet, tokens, mint, Uint8Array.of(bump), program, PROGRAM_ADDRESS)
    const address = new Uint8Array(await crypto.subtle.digest("SHA-256", seeds))
    if (!isOnCurve(address)) return toBase58(address)
  }
  throw new Error("No address derives from this wallet and mint.")
}
