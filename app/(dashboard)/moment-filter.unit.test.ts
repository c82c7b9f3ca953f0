import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { moment, momentWords } from "./moment-filter.tsx"

beforeEach(() => void vi.useFakeTimers({ now: new Date("2026-11-28T12:00:00Z") }))
afterEach(() => void vi.useRealTimers())

const { asks } = moment("As of")

test.each([
  ["2026-11-27", "End of 27 Nov", "2026-11-27T22:59:59Z"],
  ["2026-11-28T12:30:00", "28 Nov, 12:30:00", "2026-11-28T11:30:00Z"],
])("the moment %s is shown as %s and asks for %s", (value, words, instant) => {
  expect(momentWords(value, "Europe/Berlin")).toBe(words)
  expect(asks!(value, "Europe/Berlin")).toBe(instant)
})

test.each(["2026-11-28", "2026-12-31", "2026-11-28T14:00:00", "yesterday"])(
  "%s has not ended or is not a moment, so it is shown as now and asks for no moment",
  (value) => {
    expect(momentWords(value, "Europe/Berlin")).toBe("Now")
    expect(asks!(value, "Europe/Berlin")).toBeUndefined()
  },
)
