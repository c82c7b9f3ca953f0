import { expect, test } from "vitest"
import { batchSize, whileWaiting } from "./fair-share.ts"

const SIZE = { least: 4, most: 64 }

test("a batch is small while others wait, but no smaller than the number of their requests", async () => {
  expect(batchSize("ws_a", SIZE)).toBe(64)
  const ends = Array.from({ length: 6 }, () => Promise.withResolvers<void>())
  const calls = ends.map(({ promise }) => whileWaiting("ws_b", () => promise))
  expect(batchSize("ws_a", SIZE)).toBe(6)
  expect(batchSize("ws_b", SIZE)).toBe(64)
  const own = Promise.withResolvers<void>()
  const ownCall = whileWaiting("ws_a", () => own.promise)
  expect(batchSize("ws_b", SIZE)).toBe(4)
  for (const { resolve } of ends) resolve()
  own.reject(new Error("gone"))
  await Promise.all(calls)
  await expect(ownCall).rejects.toThrow("gone")
  expect(batchSize("ws_a", SIZE)).toBe(64)
  expect(batchSize("ws_b", SIZE)).toBe(64)
})
