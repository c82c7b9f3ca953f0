import { expect, test } from "vitest"
import { instant, time } from "./fields.ts"

test.each([
  ["0001-01-01T00:00:00Z", true],
  ["9999-12-31T23:59:59Z", true],
  ["0000-01-01T00:00:00Z", false],
  ["0000-12-31T23:59:59Z", false],
  ["2026-02-30T00:00:00Z", false],
  ["+010000-01-01T00:00:00Z", false],
])("a time is one that Postgres can store: %s", (text, isTaken) => {
  expect([time, instant].map((field) => field.safeParse(text).success)).toEqual([isTaken, isTaken])
})

test.each([
  ["2026-01-02T03:04:05.678Z", true],
  ["2026-01-02T03:04:05.123456789Z", true],
  ["2026-01-02T03:04:05.Z", false],
  ["2026-01-02T03:04:05.1234567890Z", false],
  ["2026-02-30T03:04:05.678Z", false],
  ["2026-01-02T03:04:05.678", false],
  ["2026-01-02T03:04:05.678+00:00", false],
  ["2026-01-02T03:04Z", false],
])("fractions of a second are allowed in comparisons and not in stored times: %s", (text, isTaken) => {
  expect([time, instant].map((field) => field.safeParse(text).success)).toEqual([false, isTaken])
})
