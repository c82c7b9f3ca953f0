import { expect, test } from "vitest"
import { unlockedUpTo, unlockOf } from "./holding-period.ts"

const us = { country: "US" }
const de = { country: "DE" }
const period = { us: 365, non_us: 40 }
const day = (text: string) => new Date(`${text}T00:00:00Z`)

test.each([
  ["the last millisecond before it", day("2027-01-01").getTime() - 1, day("2027-01-01")],
  ["the moment itself", day("2027-01-01").getTime(), "unlocked"],
])("a US investor's units unlock after 365 days of 24 hours: %s", (_name, now, expected) => {
  expect(unlockOf(period, us, day("2026-01-01"), new Date(now))).toEqual(expected)
})

test("an investor from elsewhere has the other period, whatever the zone that a date was written in", () => {
  const acquired = new Date("2025-12-31T20:00:00-04:00")
  expect(unlockOf(period, de, acquired, day("2026-01-02"))).toEqual(day("2026-02-10"))
})

test("a leap day counts as one day", () => {
  expect(unlockOf(period, us, day("2028-02-29"), day("2028-03-01"))).toEqual(day("2029-02-28"))
})

test("a missing country or date never unlocks", () => {
  const now = day("9999-12-31")
  expect(unlockOf(period, {}, day("2026-01-01"), now)).toBe("never")
  expect(unlockOf(period, null, day("2026-01-01"), now)).toBe("never")
  expect(unlockOf(period, us, null, now)).toBe("never")
  expect(unlockedUpTo(period, {}, now)).toBeNull()
})

test("what is unlocked for the sum is unlocked for the list", () => {
  const acquired = day("2026-01-01")
  for (const days of [364, 365, 366]) {
    const now = new Date(acquired.getTime() + days * 86_400_000)
    const isUnlocked = unlockOf(period, us, acquired, now) === "unlocked"
    expect(acquired <= unlockedUpTo(period, us, now)!).toBe(isUnlocked)
  }
})

test("a period can end in the last days of the year 9999", () => {
  const unlock = unlockOf({ us: 36_525, non_us: 0 }, us, day("9899-12-30"), day("9999-01-01"))
  expect(unlock).toEqual(day("9999-12-31"))
})
