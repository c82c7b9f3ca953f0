import { randomBytes } from "node:crypto"
import { expect, test } from "vitest"
import { AddressSet, KEY_BYTES } from "./address-set.ts"

const random = (count: number) => Array.from({ length: count }, () => randomBytes(KEY_BYTES))

test("a set contains what was added and nothing else, also after growing", () => {
  const [listed, others] = [random(5000), random(5000)]
  const set = new AddressSet()
  for (const key of listed) set.add(key)
  expect(set.size).toBe(5000)
  expect(listed.every((key) => set.has(key))).toBe(true)
  expect(others.some((key) => set.has(key))).toBe(false)
})

test("a key added twice is stored once", () => {
  const set = new AddressSet()
  const [key] = random(1)
  for (let n = 0; n < 3000; n++) set.add(key!)
  expect(set.size).toBe(1)
})

test("keys with the same beginning are different, and a shorter key is not contained", () => {
  const set = new AddressSet()
  const keys = Array.from({ length: 300 }, (_, n) => {
    const key = Buffer.alloc(KEY_BYTES)
    key.writeUInt16BE(n, 30)
    return key
  })
  for (const key of keys.slice(0, 150)) set.add(key)
  expect(keys.map((key) => set.has(key))).toEqual(keys.map((_, n) => n < 150))
  expect(set.has(keys[0]!.subarray(1))).toBe(false)
})

test("the parts contain all keys and rebuild the same set", () => {
  const keys = random(2500)
  const set = new AddressSet()
  for (const key of keys) set.add(key)
  const parts = [...set.parts(1000)]
  expect(parts.map((part) => part.length / KEY_BYTES)).toEqual([1000, 1000, 500])
  const again = new AddressSet()
  for (const part of parts) for (let at = 0; at < part.length; at += KEY_BYTES) again.add(part, at)
  expect(again.size).toBe(2500)
  expect(keys.every((key) => again.has(key))).toBe(true)
})
