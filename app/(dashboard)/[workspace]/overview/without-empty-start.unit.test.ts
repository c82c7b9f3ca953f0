import { expect, test } from "vitest"
import { withoutEmptyStart } from "./without-empty-start.ts"

const thirty = (counted: number[]) =>
  Array.from({ length: 30 }, (_, n) => ({ day: `day ${n}`, pending: 0, verified: counted.includes(n) ? 2 : 0 }))
const firstOf = (counted: number[]) => withoutEmptyStart(thirty(counted))[0]!.day

test("the chart begins at the first day with a count, and has at least seven days", () => {
  expect(firstOf([0, 12])).toBe("day 0")
  expect(firstOf([12, 20])).toBe("day 12")
  expect(firstOf([29])).toBe("day 23")
  expect(firstOf([])).toBe("day 23")
})
