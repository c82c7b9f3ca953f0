import { expect, test } from "vitest"
import { asCaller, stepFor } from "./callers.ts"

const SIZE = { least: 4, most: 64 }

test("a step is small while others wait, and never smaller than what they send themselves", async () => {
  expect(stepFor("ws_a", SIZE)).toBe(64)
  const ends = Array.from({ length: 6 }, () => Promise.withResolvers<void>())
  const calls = ends.map(({ promise }) => asCaller("ws_b", () => promise))
  expect(stepFor("ws_a", SIZE)).toBe(6)
  expect(stepFor("ws_b", SIZE)).toBe(64)
  const own = Promise.withResolvers<void>()
  const ownCall = asCaller("ws_a", () => own.promise)
  expect(stepFor("ws_b", SIZE)).toBe(4)
  for (const { resolve } of ends) resolve()
  own.reject(new Error("gone"))
  await Promise.all(calls)
  await expect(ownCall).rejects.toThrow("gone")
  expect(stepFor("ws_a", SIZE)).toBe(64)
  expect(stepFor("ws_b", SIZE)).toBe(64)
})
