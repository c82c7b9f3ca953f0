import bs58 from "bs58"
import fc from "fast-check"
import { expect, test } from "vitest"
import { isWalletAddress } from "./addresses.ts"

const has32Bytes = (text: string): boolean => bs58.decodeUnsafe(text)?.length === 32

test("exactly the texts that a base58 decoder reads as 32 bytes are addresses", () => {
  const bytes = fc.oneof(
    fc.uint8Array({ minLength: 28, maxLength: 36 }),
    fc
      .tuple(fc.integer({ min: 0, max: 33 }), fc.uint8Array({ minLength: 0, maxLength: 33 }))
      .map(([zeros, rest]) => Uint8Array.from([...new Uint8Array(zeros), ...rest])),
  )
  const digits = fc.string({
    unit: fc.constantFrom(..."123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"),
    minLength: 30,
    maxLength: 46,
  })
  const texts = fc.oneof(
    bytes.map((value) => bs58.encode(value)),
    digits,
    fc.string({ minLength: 30, maxLength: 46 }),
  )
  fc.assert(
    fc.property(texts, (text) => {
      fc.pre(!/^1+$/.test(text))
      expect(isWalletAddress(text)).toBe(has32Bytes(text))
    }),
    { numRuns: 3000 },
  )
})

test.each([
  ["the largest of all", bs58.encode(new Uint8Array(32).fill(0xff)), true],
  ["one more than the largest", `${bs58.encode(new Uint8Array(32).fill(0xff)).slice(0, -1)}H`, false],
  ["the smallest with 32 digits", bs58.encode(Uint8Array.from([1, ...new Uint8Array(31)])), true],
  ["31 zeros and a one", bs58.encode(Uint8Array.from([...new Uint8Array(31), 1])), true],
  ["the system program", "11111111111111111111111111111111", false],
  ["a digit that is not in base58", `0${bs58.encode(new Uint8Array(32).fill(7)).slice(1)}`, false],
])("%s", (_case, text, is) => {
  expect(isWalletAddress(text)).toBe(is)
})
