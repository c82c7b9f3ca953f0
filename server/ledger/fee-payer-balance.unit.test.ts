import { expect, test } from "vitest"
import { BurnRate } from "./fee-payer-balance.ts"

const MINUTE = 60_000

/** A balance that is read every minute. */
function rateOf(...lamports: number[]): BurnRate {
  const rate = new BurnRate()
  for (const [minute, one] of lamports.entries()) rate.note(one, minute * MINUTE)
  return rate
}
const falling = (from: number, by: number, minutes: number) =>
  Array.from({ length: minutes + 1 }, (_, i) => from - i * by)

test("the estimate uses the rate of the last hour", () => {
  expect(rateOf(...falling(1_000_000, 1000, 30)).hoursLeft).toBeCloseTo(970_000 / 60_000)
  // More than an hour ago it was spent faster.
  const slower = [...falling(5_000_000, 60_000, 60), ...falling(1_400_000, 1000, 60).slice(1)]
  expect(rateOf(...slower).hoursLeft).toBeCloseTo(1_340_000 / 60_000, 0)
})

test("deposits do not count, only spending", () => {
  const balance = falling(100_000, 1000, 20)
  const funded = [...balance.slice(0, 11), ...balance.slice(11).map((one) => one + 1_000_000)]
  expect(rateOf(...funded).hoursLeft).toBeCloseTo(1_080_000 / (19_000 * 3), 3)
})

test("a balance that is not spent, or has been known for only minutes, has no estimate", () => {
  expect(rateOf(...falling(1_000_000, 0, 60)).hoursLeft).toBeNull()
  expect(rateOf(...falling(1_000_000, 100_000, 9)).hoursLeft).toBeNull()
  expect(new BurnRate().hoursLeft).toBeNull()
})

test("spending from before a restart counts at once", () => {
  const rate = new BurnRate()
  const now = 10 * 60 * MINUTE
  rate.recall(Array.from({ length: 30 }, (_, i) => ({ at: now - (30 - i) * MINUTE, lamports: 1000 })))
  expect(rate.hoursLeft).toBeNull()
  rate.note(600_000, now)
  expect(rate.hoursLeft).toBeCloseTo(10)
})
