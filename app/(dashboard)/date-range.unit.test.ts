import { expect, test, vi } from "vitest"
import { wordsOf } from "./date-range.tsx"

test.each([
  ["2026-11-01", "2026-11-03", "1 Nov – 3 Nov"],
  ["2026-11-28T09:00:00Z", "2026-11-28T10:00:00Z", "28 Nov, 10:00 – 11:00"],
  ["2026-11-01", "2026-11-28T10:00:00Z", "1 Nov – 28 Nov, 11:00"],
  ["2026-11-28T10:00:00Z", null, "Since 28 Nov, 11:00"],
  [null, "2026-11-28T10:00:00Z", "Until 28 Nov, 11:00"],
  ["48h", "2026-11-28", "48 h ago – 28 Nov"],
  ["2026-11-28T99:00:00Z", null, "Since 2026-11-28T99:00:00Z"],
])("the range from %s to %s is shown as %s", (from, to, words) => {
  vi.useFakeTimers({ now: new Date("2026-11-29T00:00:00Z") })
  expect(wordsOf({ from, to }, "Europe/Berlin")).toBe(words)
  vi.useRealTimers()
})
