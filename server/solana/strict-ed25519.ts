import { PublicKey } from "@solana/web3.js"
import { verifierOf } from "./signers/ed25519.ts"

/** The field's prime, and the order of the group that keys are in (RFC 8032 §5.1). */
const P = 2n ** 255n - 19n
const L = 2n ** 252n + 27_742_317_777_372_353_535_851_937_790_883_648_493n

const KEY_BYTES = 32
const SIGNATURE_BYTES = 64
const SIGN_BIT = 1n << 255n

/** The y of a point of order 8, by libsodium's list (`ge25519_has_small_order`). */
const ORDER_8 =
  2_707_385_501_144_840_649_318_225_287_225_658_788_936_804_267_575_313_519_463_743_609_750_303_402_022n

/** The y of the points whose order divides 8: of such a key, or with such an R, a signature proves nothing. */
const SMALL_ORDER = new Set([0n, 1n, P - 1n, ORDER_8, P - ORDER_8])

const littleEndian = (bytes: Uint8Array): bigint =>
  BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`)

/** Whether 32 bytes are the one encoding of a point that has not small order; that it is on the curve is not looked at. */
function isSoundPoint(bytes: Uint8Array): boolean {
  const y = littleEndian(bytes) & (SIGN_BIT - 1n)
  return y < P && !SMALL_ORDER.has(y)
}

/** Whether a key can belong to an address. A program's own address, such as that of a smart wallet, has none. */
export const isOnCurve = (publicKey: Uint8Array): boolean =>
  publicKey.length === KEY_BYTES && isSoundPoint(publicKey) && PublicKey.isOnCurve(publicKey)

/** Whether an address is one that a program signs for, such as a smart wallet: no key can belong to it. */
export const isOfProgram = (address: PublicKey): boolean => !PublicKey.isOnCurve(address.toBytes())

/**
 * Whether a signature proves that somebody with the key signed exactly this message. Stricter than RFC 8032, as
 * `verify_strict` of ed25519-dalek: each message has the signatures that its signer made and no others, so S is less
 * than L, and neither key nor R is of small order or written in a second way.
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
