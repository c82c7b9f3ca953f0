import { expect, test } from "vitest"
import { alpha2Of } from "#shared/alpha3.ts"
import { isCountry } from "#shared/countries.ts"
import { countryFrom, countryOf, isOver18 } from "./vendor-person.ts"

const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"]
const pairs = letters.flatMap((a) => letters.map((b) => a + b))

test("every country has one three-letter code, and no code belongs to two countries", () => {
  const found = pairs.flatMap((pair) => letters.flatMap((c) => alpha2Of(pair + c) ?? []))
  const assigned = pairs.filter((pair) => isCountry(pair) && pair !== "XK")
  expect(found.toSorted()).toEqual(assigned)
})

test.each([
  ["DEU", "DE"],
  ["de", "DE"],
  ["gbr", "GB"],
  ["CHE", "CH"],
  ["ROU", "RO"],
  ["US", "US"],
  // Codes of passports and vendors that are not in ISO 3166-1.
  ["D", "DE"],
  ["D<<", "DE"],
  ["GBR", "GB"],
  ["GBD", "GB"],
  ["GBN", "GB"],
  ["GBO", "GB"],
  ["GBP", "GB"],
  ["GBS", "GB"],
  ["XK", "XK"],
  ["XKX", "XK"],
  ["xkx", "XK"],
  ["RKS", "XK"],
  ["UNK", "XK"],
])("%s is %s", (code, country) => {
  expect(countryOf(code)).toBe(country)
})

// A code reserved for the United Kingdom, a former code, unassigned codes, and values that are not codes.
test.each(["UK", "ROM", "ZZZ", "XX", "", "DEUX", null, undefined])("%s is not a country", (code) => {
  expect(countryOf(code)).toBeUndefined()
})

test.each(["UNO", "UNA", "EUE", "XPO", "XOM", "XXA", "XXB", "XXC", "XXX", "UK", "Atlantis"])(
  "%s, which is not a country that rules can name, is kept for members to see",
  (code) => {
    expect(countryFrom(code)).toEqual({ unknown_country: code })
  },
)

test("the first code that is a country counts, and without one the first code", () => {
  expect(countryFrom("XXA", "DEU")).toEqual({ country: "DE" })
  expect(countryFrom(null, "XXB", "UNO")).toEqual({ unknown_country: "XXB" })
  expect(countryFrom(undefined, null, "", "<<<")).toEqual({})
  expect(countryFrom(`${"x".repeat(50)}\u0000<script>`)).toEqual({ unknown_country: "x".repeat(40) })
})

test.each([
  ["2008-06-15", true],
  ["2008-06-16", false],
  ["1990-01-01", true],
  ["2008-12-31", false],
])("a person born on %s is over 18 in the middle of June 2026: %s", (born, is) => {
  expect(isOver18(born, new Date("2026-06-15T00:00:00Z"))).toBe(is)
})

test("a person born on 29 February comes of age on 1 March", () => {
  expect(isOver18("2008-02-29", new Date("2026-02-28T23:59:59Z"))).toBe(false)
  expect(isOver18("2008-02-29", new Date("2026-03-01T00:00:00Z"))).toBe(true)
})

test.each([
  "1990",
  "1990-1-1",
  "01/01/1990",
  "1990-13-01",
  "1989-02-30",
  "1989-02-29",
  "1990-04-31",
  "",
  null,
  undefined,
])("%s is not a date of birth", (born) => {
  expect(isOver18(born, new Date())).toBeUndefined()
})
