import { expect, test } from "vitest"
import { shareOf, sparkline, summaryOf } from "./sparkline.ts"

const days = ["2026-03-01T00:00:00Z", "2026-03-02T00:00:00Z", "2026-03-03T00:00:00Z"]

test("bars are proportional to the busiest day, and a single request or error is visible", () => {
  expect(sparkline({ days, requests: [0, 1, 1000], errors: [0, 0, 1] }, 24)).toEqual([
    { height: 0, errors: 0 },
    { height: 2, errors: 0 },
    { height: 24, errors: 2 },
  ])
})

test("days without requests have no bars", () => {
  expect(sparkline({ days, requests: [0, 0, 0], errors: [0, 0, 0] }, 24).map(({ height }) => height)).toEqual([0, 0, 0])
})

test.each([
  [0, 10, "no errors"],
  [1, 1000, "<1% errors"],
  [2, 10, "20% errors"],
  [999, 1000, "99% errors"],
  [1000, 1000, "100% errors"],
])("%i of %i are %s", (errors, requests, words) => expect(shareOf(errors, requests)).toBe(words))

test("the words have the sum, the share of errors and the busiest day", () => {
  expect(summaryOf({ days, requests: [2, 7, 1], errors: [0, 1, 0] })).toBe(
    "10 requests in the last 3 days, 10% errors, most on 2 March: 7",
  )
})
