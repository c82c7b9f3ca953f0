import { expect, test } from "vitest"
import { inBatches } from "./in-batches.ts"

test("lookups of the same moment are one read, and each gets its own answer", async () => {
  const reads: (readonly number[])[] = []
  const square = inBatches<number, number>(async (keys) => {
    reads.push(keys)
    return keys.map((key) => (key < 0 ? undefined : key * key))
  })
  expect(await Promise.all([square(2), square(-1), square(3)])).toEqual([4, undefined, 9])
  expect(await square(4)).toBe(16)
  expect(reads).toEqual([[2, -1, 3], [4]])
})

test("lookups wait while a read is working, and then become the next one", async () => {
  const reads: (readonly number[])[] = []
  const works = Promise.withResolvers<void>()
  const find = inBatches<number, number>(async (keys) => {
    reads.push(keys)
    if (reads.length === 1) await works.promise
    return keys
  })
  const first = find(1)
  await new Promise(setImmediate)
  const later = [find(2), find(3)]
  await new Promise(setImmediate)
  expect(reads).toEqual([[1]])
  works.resolve()
  expect(await Promise.all([first, ...later])).toEqual([1, 2, 3])
  expect(reads).toEqual([[1], [2, 3]])
})

test("a read that fails fails its lookups only", async () => {
  let isBroken = true
  const find = inBatches<number, number>(async (keys) => {
    if (isBroken) throw new Error("broken")
    return keys
  })
  const failed = await Promise.allSettled([find(1), find(2)])
  expect(failed.map(({ status }) => status)).toEqual(["rejected", "rejected"])
  isBroken = false
  expect(await find(3)).toBe(3)
})
