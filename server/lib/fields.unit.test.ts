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
