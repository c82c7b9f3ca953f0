import fc from "fast-check"
import { expect, test } from "vitest"
import { endOfDay, endOfLastMonth, endOfLastQuarter, instantIn, localIn, timesOf } from "./local-time.ts"

test.each([
  ["UTC", "2027-01-31T09:30:00", "2027-01-31T09:30:00.000Z"],
  ["Europe/Berlin", "2027-01-31T09:30:00", "2027-01-31T08:30:00.000Z"],
  ["Europe/Berlin", "2027-07-31T09:30:00", "2027-07-31T07:30:00.000Z"],
  ["Asia/Kathmandu", "2027-07-31T00:00:00", "2027-07-30T18:15:00.000Z"],
  ["Pacific/Kiritimati", "2027-01-01T00:00:00", "2026-12-31T10:00:00.000Z"],
  ["America/New_York", "2027-03-14T00:00:00", "2027-03-14T05:00:00.000Z"],
  ["America/New_York", "2027-03-15T00:00:00", "2027-03-15T04:00:00.000Z"],
  // Clocks skip from 2 to 3 on 28 March 2027, and show the hour from 2 to 3 twice on 31 October.
  ["Europe/Berlin", "2027-03-28T02:30:00", "2027-03-28T01:30:00.000Z"],
  ["Europe/Berlin", "2027-10-31T02:30:00", "2027-10-31T00:30:00.000Z"],
])("in %s, %s is the instant %s", (zone, local, instant) => {
  expect(instantIn(zone, local)!.toISOString()).toBe(instant)
})

test("text that is not a time gives null", () => {
  expect(instantIn("Europe/Berlin", "yesterday")).toBeNull()
})

test("in every zone, a shown time converts to an instant that shows it again, the earlier one if two do", () => {
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

test.each([
  ["UTC", "2027-01-31", "2027-01-31", "2027-01-31T00:00:00.000Z", "2027-02-01T00:00:00.000Z"],
  ["Asia/Kathmandu", "2026-12-31", "2027-01-01", "2026-12-30T18:15:00.000Z", "2027-01-01T18:15:00.000Z"],
  // The day on which clocks go forward has 23 hours, the one on which they go back has 25.
  ["Europe/Berlin", "2027-03-28", "2027-03-28", "2027-03-27T23:00:00.000Z", "2027-03-28T22:00:00.000Z"],
  ["Europe/Berlin", "2027-10-31", "2027-10-31", "2027-10-30T22:00:00.000Z", "2027-10-31T23:00:00.000Z"],
  ["America/New_York", "2028-02-28", "2028-02-29", "2028-02-28T05:00:00.000Z", "2028-03-01T05:00:00.000Z"],
  // The years 2 and 20, as a browser reads them while 2026 is typed.
  ["UTC", "0002-11-26", "0020-11-26", "0002-11-26T00:00:00.000Z", "0020-11-27T00:00:00.000Z"],
])(
  "in %s, the days %s to %s last from the start of the first to the start of the day after the last",
  (zone, first, last, from, to) => {
    expect(timesOf({ from: first, to: last }, zone)).toEqual({ from, to })
  },
)

test.each([
  ["UTC", "2026-12-31", "2026-12-31T23:59:59.000Z"],
  // Clocks go back at midnight, so they show 23:59:59 twice.
  ["Africa/Cairo", "2026-10-29", "2026-10-29T21:59:59.000Z"],
  ["Asia/Beirut", "2026-10-24", "2026-10-24T21:59:59.000Z"],
])("in %s, the last second of %s is %s", (zone, day, end) => {
  expect(endOfDay(day, zone)!.toISOString()).toBe(end)
  expect(endOfDay("yesterday", zone)).toBeNull()
})

test("an empty or invalid day sets no limit", () => {
  expect(timesOf({ from: null, to: null }, "UTC")).toEqual({})
  expect(timesOf({ from: "2027-01-01", to: null }, "UTC")).toEqual({ from: "2027-01-01T00:00:00.000Z" })
  expect(timesOf({ from: null, to: "2027-01-01" }, "UTC")).toEqual({ to: "2027-01-02T00:00:00.000Z" })
  expect(timesOf({ from: "yesterday", to: "2027-13-45" }, "UTC")).toEqual({})
})

test("an instant means the same in any zone", () => {
  const hour = { from: "2027-01-01T09:00:00Z", to: "2027-01-01T10:00:00Z" }
  const same = { from: "2027-01-01T09:00:00.000Z", to: "2027-01-01T10:00:00.000Z" }
  for (const zone of ["UTC", "Asia/Tokyo"]) expect([zone, timesOf(hour, zone)]).toEqual([zone, same])
  expect(timesOf({ from: "noonZ", to: null }, "UTC")).toEqual({})
})

test("a time before the year 1 or after 9999 sets no limit, because the server does not take it", () => {
  const days = { from: "0001-01-01", to: "9999-12-31" }
  expect(timesOf(days, "UTC")).toEqual({ from: "0001-01-01T00:00:00.000Z" })
  expect(timesOf(days, "Asia/Tokyo")).toEqual({ to: "9999-12-31T15:00:00.000Z" })
})

test.each([
  ["2026-11-28", "2026-10-31", "2026-09-30"],
  ["2027-01-01", "2026-12-31", "2026-12-31"],
  ["2028-03-31", "2028-02-29", "2027-12-31"],
  ["2026-12-31", "2026-11-30", "2026-09-30"],
])("before %s, the last month ended on %s and the last quarter on %s", (day, month, quarter) => {
  expect([endOfLastMonth(day), endOfLastQuarter(day)]).toEqual([month, quarter])
})
