import { expect, test } from "vitest"
import { isCountry } from "#shared/countries.ts"
import { alpha2Of } from "./alpha3.ts"
import { countryOf, isOver18 } from "./vendor-person.ts"

const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"]
const pairs = letters.flatMap((a) => letters.map((b) => a + b))

test("every country has one code of three letters, and no such code is of two", () => {
  const found = pairs.flatMap((pair) => letters.flatMap((c) => alpha2Of(pair + c) ?? []))
  expect(found.toSorted()).toEqual(pairs.filter(isCountry))
})

test.each([
  ["DEU", "DE"],
  ["de", "DE"],
  ["gbr", "GB"],
  ["CHE", "CH"],
  ["ROU", "RO"],
  ["US", "US"],
])("%s is %s", (code, country) => {
  expect(countryOf(code)).toBe(country)
})

// A reserved code of the United Kingdom, one that a country had, what nobody has, and what is none.
test.each(["UK", "ROM", "ZZZ", "XX", "", "D", "DEUX", null, undefined])("%s is no country", (code) => {
  expect(countryOf(code)).toBeUndefined()
})

test.each([
  ["2008-06-15", true],
  ["2008-06-16", false],
  ["1990-01-01", true],
  ["2008-12-31", false],
])("somebody born on %s is over 18 in the middle of June 2026: %s", (born, is) => {
  expect(isOver18(born, new Date("2026-06-15T00:00:00Z"))).toBe(is)
})

test("who is born on 29 February comes of age on 1 March", () => {
  expect(isOver18("2008-02-29", new Date("2026-02-28T23:59:59Z"))).toBe(false)
  expect(isOver18("2008-02-29", new Date("2026-03-01T00:00:00Z"))).toBe(true)
})

test.each(["1990", "1990-1-1", "01/01/1990", "1990-13-01", "", null, undefined])(
  "%s is no day of birth",
  (born) => {
    expect(isOver18(born, new Date())).toBeUndefined()
  },
)
