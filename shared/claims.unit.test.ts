import { expect, test } from "vitest"
import { contradictions } from "./claims.ts"

test("reports contradict each other in what they say differently, not in what one of them leaves out", () => {
  expect(contradictions([])).toEqual([])
  expect(contradictions([{ country: "US", age_over_18: true }, { country: "US" }])).toEqual([])
  expect(
    contradictions([{ country: "US" }, { country: "CA", accredited: true }, { accredited: false }]),
  ).toEqual([...["country", "accredited"]])
})
