import { expect, test } from "vitest"
import { byExpiry, byTime } from "./sort.ts"

/** The orders that clicks on a head lead to, beginning with one. */
function clicks(head: typeof byTime, order: string | null, times: number) {
  const seen: (string | null)[] = []
  let current: string | null = order
  for (let n = 0; n < times; n++) {
    const change = (to: Record<string, string | null>) => {
      current = to.order!
    }
    head({ current: current === null ? {} : { order: current }, change }).onSort()
    seen.push(current)
  }
  return seen
}
const directionOf = (head: typeof byTime, order?: string) =>
  head({ current: order === undefined ? {} : { order }, change: () => {} }).direction

test("a click on the time sorts by it, and the next one reverses it", () => {
  expect(clicks(byTime, null, 3)).toEqual(["oldest", null, "oldest"])
  expect(clicks(byTime, "expiry", 2)).toEqual([null, "oldest"])
  expect([directionOf(byTime), directionOf(byTime, "oldest"), directionOf(byTime, "expiry")]).toEqual([
    "descending",
    "ascending",
    null,
  ])
})

test("a click on the expiry sorts by it, and the next one restores the usual order", () => {
  expect(clicks(byExpiry, null, 2)).toEqual(["expiry", null])
  expect([directionOf(byExpiry), directionOf(byExpiry, "oldest"), directionOf(byExpiry, "expiry")]).toEqual([
    null,
    null,
    "ascending",
  ])
})
