import { getAssociatedTokenAddressSync, TOKEN_2022_PROGRAM_ID } from "@solana/spl-token"
import { PublicKey } from "@solana/web3.js"
import bs58 from "bs58"
import fc from "fast-check"
import { expect, test } from "vitest"
import { addressBytes, fromBase58, isOnCurve, toBase58, tokenAccountOf } from "#client/chain/address.ts"

const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 })

test("base58 gives the same result as bs58, including leading zeros", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      expect(toBase58(bytes)).toBe(bs58.encode(bytes))
      expect(fromBase58(toBase58(bytes))).toEqual(bytes)
    }),
  )
  expect(fromBase58("0OIl")).toBeNull()
})

test("a point is on the curve exactly when web3.js says so", () => {
  fc.assert(fc.property(bytes32, (bytes) => isOnCurve(bytes) === PublicKey.isOnCurve(bytes)))
  // Zero, one, the prime and values above it, each also with the sign of x set.
  for (const first of [0, 1, 2, 0xec, 0xed, 0xee, 0xff]) {
    for (const rest of [0, 0xff]) {
      for (const last of [0, 0x7f, 0x80, 0xff]) {
        const bytes = new Uint8Array(32).fill(rest)
        bytes[0] = first
        bytes[31] = last
        expect(isOnCurve(bytes), String(bytes)).toBe(PublicKey.isOnCurve(bytes))
      }
    }
  }
})

test("a token account's address is the same as spl-token's, for any wallet", async () => {
  await fc.assert(
    fc.asyncProperty(bytes32, bytes32, async (wallet, mint) => {
      const [owner, of] = [new PublicKey(wallet), new PublicKey(mint)]
      const expected = getAssociatedTokenAddressSync(of, owner, true, TOKEN_2022_PROGRAM_ID)
      const [walletBytes, mintBytes] = [addressBytes(owner.toBase58(), "w"), addressBytes(of.toBase58(), "m")]
      expect(await tokenAccountOf(walletBytes, mintBytes)).toBe(expected.toBase58())
    }),
    { numRuns: 30 },
  )
})

test.each(["", "1", "0".repeat(32), "z".repeat(44), "1".repeat(33), "x".repeat(100_000)])(
  "an invalid address is refused, with the argument's name: %#",
  (text) => {
    expect(() => addressBytes(text, "wallet")).toThrow("wallet: must be an address")
  },
)
