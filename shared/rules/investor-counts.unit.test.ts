import { expect, test } from "vitest"
import { countedAs, firstPassed } from "./investor-counts.ts"

test.each([
  [{ country: "JP", accredited: true }, ["investors", "country:JP"]],
  [{ country: "JP", accredited: false }, ["investors", "country:JP", "non_accredited"]],
  [{ country: "JP" }, ["investors", "country:JP", "non_accredited"]],
  [{}, ["investors", "country:", "non_accredited"]],
])("an investor with the claims %j counts as %j", (claims, keys) => {
  expect(countedAs(claims)).toEqual(keys)
})

test("an investor whose country is unknown counts in every country", () => {
  const rules = { max_investors_by_country: { JP: 2 } }
  const before = { investors: 2, "country:": 1, "country:JP": 1 }
  expect(firstPassed(rules, { before, after: { investors: 3, "country:": 2, "country:JP": 1 } })).toMatchObject({
    field: "max_investors_by_country",
    country: "JP",
  })
  expect(
    firstPassed(rules, { before, after: { investors: 3, "country:": 1, "country:JP": 1, "country:US": 1 } }),
  ).toBeNull()
})

test("a limit that was passed before refuses only what adds to it", () => {
  const rules = { max_investors: 1, max_non_accredited_investors: 0 }
  const before = { investors: 3, non_accredited: 2 }
  expect(firstPassed(rules, { before, after: { investors: 3, non_accredited: 2 } })).toBeNull()
  expect(firstPassed(rules, { before, after: { investors: 2, non_accredited: 2 } })).toBeNull()
  expect(firstPassed(rules, { before, after: { investors: 4, non_accredited: 2 } })?.field).toBe("max_investors")
  expect(firstPassed(rules, { before, after: { investors: 3, non_accredited: 3 } })?.field).toBe(
    "max_non_accredited_investors",
  )
})
