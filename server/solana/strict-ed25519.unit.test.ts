import { randomBytes } from "node:crypto"
import { PublicKey } from "@solana/web3.js"
import { expect, test } from "vitest"
import { newSigningWallet } from "#test/fixtures/wallet.ts"
import { isOnCurve, isSignedStrictly } from "./strict-ed25519.ts"

const P = 2n ** 255n - 19n
const L = 2n ** 252n + 27_742_317_777_372_353_535_851_937_790_883_648_493n

const read = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`)
const write = (number: bigint) => Buffer.from(number.toString(16).padStart(64, "0"), "hex").reverse()

/** All points of small order, by RFC 8032's own arithmetic: those whose product with eight is the neutral point. */
function smallOrderPoints(): Buffer[] {
  const power = (base: bigint, exponent: bigint) => {
    let result = 1n
    for (let b = base % P, e = exponent; e > 0n; e >>= 1n, b = (b * b) % P) if (e & 1n) result = (result * b) % P
    return result
  }
  const mod = (n: bigint) => ((n % P) + P) % P
  const inverse = (n: bigint) => power(n, P - 2n)
  const d = mod(-121665n * inverse(121666n))
  type Point = readonly [bigint, bigint]
  const add = ([x1, y1]: Point, [x2, y2]: Point): Point => {
    const k = mod(d * x1 * x2 * y1 * y2)
    return [mod((x1 * y2 + x2 * y1) * inverse(1n + k)), mod((y1 * y2 + x1 * x2) * inverse(1n - k))]
  }
  const onCurve = (y: bigint): Point | null => {
    const square = mod((y * y - 1n) * inverse(mod(d * y * y + 1n)))
    let x = power(square, (P + 3n) / 8n)
    if (mod(x * x - square) !== 0n) x = mod(x * power(2n, (P - 1n) / 4n))
    return mod(x * x - square) === 0n ? [x, y] : null
  }
  const times = (n: bigint, point: Point) => {
    let result: Point = [0n, 1n]
    for (let bit = n, p = point; bit > 0n; bit >>= 1n, p = add(p, p)) if (bit & 1n) result = add(result, p)
    return result
  }
  // Any point times L has an order that divides 8, and some of them give all such points.
  const found = new Map<string, Point>()
  for (let y = 2n; found.size < 8; y++) {
    const point = onCurve(y)
    const small = point && times(L, point)
    for (let n = 0n; small && n < 8n; n++) {
      const multiple = times(n, small)
      found.set(String(multiple), multiple)
    }
  }
  return [...found.values()].map(([x, y]) => write(y | ((x & 1n) << 255n)))
}

const wallet = newSigningWallet()
const { publicKey } = wallet
const message = Buffer.from("the signed message")
const signature = wallet.sign(message)
const R = signature.subarray(0, 32)
const S = signature.subarray(32)

test("a signature holds for its key and message, and for no other", () => {
  expect(isSignedStrictly({ publicKey, message, signature })).toBe(true)
  expect(isSignedStrictly({ publicKey, message: Buffer.from("the Signed message"), signature })).toBe(false)
  const other = newSigningWallet().publicKey
  expect(isSignedStrictly({ publicKey: other, message, signature })).toBe(false)
  for (let bit = 0; bit < 512; bit++) {
    const flipped = Buffer.from(signature)
    flipped[bit >> 3]! ^= 1 << (bit & 7)
    expect(isSignedStrictly({ publicKey, message, signature: flipped }), `bit ${bit}`).toBe(false)
  }
})

test.each([0, 1, 32, 63, 65, 128])("%i bytes are not a signature", (length) => {
  const other = Buffer.concat([signature, signature]).subarray(0, length)
  expect(isSignedStrictly({ publicKey, message, signature: other })).toBe(false)
})

test("S is less than L, so no second signature can be derived from the first", () => {
  for (const times of [1n, 2n, 15n]) {
    const malleated = Buffer.concat([R, write(read(S) + times * L)])
    expect(isSignedStrictly({ publicKey, message, signature: malleated })).toBe(false)
  }
})

test("a key or an R of small order is refused, even if a library accepts it", () => {
  const points = smallOrderPoints()
  expect(points).toHaveLength(8)
  for (const point of points) {
    expect(isOnCurve(point)).toBe(false)
    // With the neutral key, any R = S·B is a signature of every message; with the others, of some messages.
    for (const forged of [signature, Buffer.concat([point, Buffer.alloc(32)])])
      expect(isSignedStrictly({ publicKey: point, message, signature: forged })).toBe(false)
    expect(isSignedStrictly({ publicKey, message, signature: Buffer.concat([point, S]) })).toBe(false)
  }
})

test("a point has only one valid encoding", () => {
  for (const y of [P, P + 1n, 2n ** 255n - 1n]) {
    expect(isOnCurve(write(y))).toBe(false)
    expect(isSignedStrictly({ publicKey: write(y), message, signature })).toBe(false)
    const other = Buffer.concat([write(y), S])
    expect(isSignedStrictly({ publicKey, message, signature: other })).toBe(false)
  }
})

test("a wallet's key is on the curve; a program's own address is not", () => {
  expect(isOnCurve(publicKey)).toBe(true)
  for (let n = 0; n < 20; n++) {
    const [address] = PublicKey.findProgramAddressSync([randomBytes(8)], PublicKey.default)
    expect(isOnCurve(address.toBytes())).toBe(false)
  }
  expect(isOnCurve(publicKey.subarray(1))).toBe(false)
})
