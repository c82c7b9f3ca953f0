import { crc32 } from "node:zlib"
import { expect, test } from "vitest"
import { hashApiKey, isWellFormedApiKey, newApiKey, startOfApiKey } from "./secret.ts"

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const value = (text: string) => [...text].reduce((sum, letter) => sum * 62n + BigInt(BASE62.indexOf(letter)), 0n)

test("a key is its mode, 24 random bytes in base62, and six characters of CRC32 over everything before", () => {
  for (const mode of ["live", "test"] as const) {
    const key = newApiKey(mode)
    expect(key).toMatch(new RegExp(`^vouch_${mode}_[0-9A-Za-z]{39}$`))
    const secret = key.slice("vouch_live_".length)
    expect(value(secret.slice(0, 33))).toBeLessThan(2n ** 192n)
    expect(value(secret.slice(33))).toBe(BigInt(crc32(key.slice(0, -6))))
  }
  const many = new Set(Array.from({ length: 1000 }, () => newApiKey("test")))
  expect(many.size).toBe(1000)
})

test("every single mistyped character is detected", () => {
  const key = newApiKey("live")
  expect(isWellFormedApiKey(key)).toBe(true)
  for (let i = 0; i < key.length; i++) {
    for (const letter of ["0", "A", "z", "_"]) {
      if (letter === key[i]) continue
      expect(isWellFormedApiKey(key.slice(0, i) + letter + key.slice(i + 1))).toBe(false)
    }
  }
})

test.each([
  "",
  "vouch_live_",
  "sk_live_x",
  "vouch_prod_".padEnd(50, "0"),
  `${"x".repeat(100_000)}`,
  "vouch_test_\u0000",
])("texts that cannot be keys are refused", (text) => {
  expect(isWellFormedApiKey(text)).toBe(false)
  expect(isWellFormedApiKey(`${newApiKey("test")}${text || " "}`)).toBe(false)
})

test("the stored value is SHA-256 of the whole key, and the shown prefix is too short to guess the rest", () => {
  const key = newApiKey("test")
  expect(hashApiKey(key)).toHaveLength(32)
  expect(startOfApiKey(key)).toBe(key.slice(0, 15))
})
