import fc from "fast-check"
import { expect, test } from "vitest"
import { instantIn, localIn } from "./zone.ts"

test.each([
  ["UTC", "2027-01-31T09:30:00", "2027-01-31T09:30:00.000Z"],
  ["Europe/Berlin", "2027-01-31T09:30:00", "2027-01-31T08:30:00.000Z"],
  ["Europe/Berlin", "2027-07-31T09:30:00", "2027-07-31T07:30:00.000Z"],
  ["Asia/Kathmandu", "2027-07-31T00:00:00", "2027-07-30T18:15:00.000Z"],
  ["Pacific/Kiritimati", "2027-01-01T00:00:00", "2026-12-31T10:00:00.000Z"],
  ["America/New_York", "2027-03-14T00:00:00", "2027-03-14T05:00:00.000Z"],
  ["America/New_York", "2027-03-15T00:00:00", "2027-03-15T04:00:00.000Z"],
  // Clocks leap from 2 to 3 on 28 March 2027, and show the hour from 2 to 3 twice on 31 October.
  ["Europe/Berlin", "2027-03-28T02:30:00", "2027-03-28T01:30:00.000Z"],
  ["Europe/Berlin", "2027-10-31T02:30:00", "2027-10-31T00:30:00.000Z"],
])("in %s clocks show %s at %s", (zone, local, instant) => {
  expect(instantIn(zone, local)!.toISOString()).toBe(instant)
})

test("what is no time is none", () => {
  expect(instantIn("Europe/Berlin", "yesterday")).toBeNull()
})

test("in every zone, the instant of what clocks show at an instant shows the same, and is that one or the hour's first", () => {
  const zones = fc.constantFrom(...Intl.supportedValuesOf("timeZone"))
  const seconds = fc.integer({ min: Date.UTC(1990) / 1000, max: Date.UTC(2037) / 1000 })
  fc.assert(
    fc.property(zones, seconds, (zone, at_s) => {
      const at = new Date(at_s * 1000)
      const local = localIn(zone, at.toISOString())
      const back = instantIn(zone, local)!
      expect(localIn(zone, back.toISOString())).toBe(local)
      expect(back.getTime()).toBeLessThanOrEqual(at.getTime())
    }),
    { numRuns: 5000 },
  )
})
