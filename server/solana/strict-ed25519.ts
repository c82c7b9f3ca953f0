import { PublicKey } from "@solana/web3.js"
import { verifierOf } from "./signers/ed25519.ts"

/** The prime of the field, and the order of the group of keys (RFC 8032 §5.1). */
const P = 2n ** 255n - 19n
const L = 2n ** 252n + 27_742_317_777_372_353_535_851_937_790_883_648_493n

const KEY_BYTES = 32
const SIGNATURE_BYTES = 64
const SIGN_BIT = 1n << 255n

/** The y coordinate of a point of order 8, from libsodium's list (`ge25519_has_small_order`). */
const ORDER_8 = 2_707_385_501_144_840_649_318_225_287_225_658_788_936_804_267_575_313_519_463_743_609_750_303_402_022n

/** The y coordinates of points whose order divides 8. With such a key or R, a signature proves nothing. */
const SMALL_ORDER = new Set([0n, 1n, P - 1n, ORDER_8, P - ORDER_8])

const littleEndian = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`)

/** Whether 32 bytes are the canonical encoding of a point without small order. Does not check that it is on the curve. */
function isSoundPoint(bytes: Uint8Array): boolean {
  const y = littleEndian(bytes) & (SIGN_BIT - 1n)
  return y < P && !SMALL_ORDER.has(y)
}

/** Whether a key can exist for an address. An address of a program, such as a smart wallet, has none. */
export const isOnCurve = (publicKey: Uint8Array): boolean =>
  publicKey.length === KEY_BYTES && isSoundPoint(publicKey) && PublicKey.isOnCurve(publicKey)

/** Whether a program signs for an address, such as a smart wallet: no key can exist for it. */
export const isOfProgram = (address: PublicKey): boolean => !PublicKey.isOnCurve(address.toBytes())

/**
 * Whether a signature proves that the key's owner signed exactly this message. Stricter than RFC 8032, like
 * `verify_strict` of ed25519-dalek: S is less than L, and neither the key nor R has small order or a second encoding, so
 * no one can derive further valid signatures.
 */
export function isSignedStrictly({
  publicKey,
  message,
  signature,
}: {
  publicKey: Uint8Array
  message: Uint8Array
  signature: Uint8Array
}): boolean {
  if (signature.length !== SIGNATURE_BYTES || !isOnCurve(publicKey)) return false
  if (!isSoundPoint(signature.subarray(0, 32)) || littleEndian(signature.subarray(32)) >= L) return false
  return verifierOf(publicKey)(message, signature)
}
