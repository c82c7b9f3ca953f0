import { expect, test } from "vitest"
import { contradictions } from "./claims.ts"

test("reports differ in claims with different values, not in claims that one leaves out", () => {
  expect(contradictions([])).toEqual([])
  expect(contradictions([{ country: "US", age_over_18: true }, { country: "US" }])).toEqual([])
  expect(contradictions([{ country: "US" }, { country: "CA", accredited: true }, { accredited: false }])).toEqual([
    ...["country", "accredited"],
  ])
})
