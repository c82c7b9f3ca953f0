import { expect, test } from "vitest"
import { isCountry } from "./countries.ts"
import { countryLists, nameCountries } from "./country-lists.ts"

const codesOf = (name: string) => countryLists.find((list) => list.name.startsWith(name))!.codes

test("lists have as many countries as the unions and the FATF name, each once", () => {
  const sizes = Object.fromEntries(countryLists.map(({ name, codes }) => [name, new Set(codes).size]))
  expect(sizes).toEqual({
    EU: 27,
    EEA: 30,
    "FATF black list, June 2026": 3,
    "FATF grey list, June 2026": 22,
  })
  for (const { codes } of countryLists) expect(codes.every(isCountry)).toBe(true)
})

test("a union is named instead of its members", () => {
  expect(nameCountries(["KP", "US"])).toBe("North Korea, United States")
  expect(nameCountries([...codesOf("EU")])).toBe("the EU")
  expect(nameCountries(["CH", ...codesOf("EEA")])).toBe("the EEA, Switzerland")
  expect(nameCountries(codesOf("EU").slice(1))).not.toContain("EU")
})
