import { expect, test } from "vitest"
import { countryNames, isCountry } from "./countries.ts"
import { languageCodes } from "./languages.ts"

test.each(languageCodes)("every country has a unique name in %s", (language) => {
  const names = countryNames(language)
  expect(names).toHaveLength(250)
  for (const { code, name } of names) expect(name, code).not.toBe(code)
  expect(new Set(names.map(({ name }) => name)).size).toBe(250)
})

test("the server accepts exactly the countries that its pages offer", () => {
  const offered = new Set(countryNames("en").map(({ code }) => code))
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"]
  const taken = letters.flatMap((a) => letters.map((b) => a + b)).filter(isCountry)
  expect(new Set(taken)).toEqual(offered)
  for (const code of ["us", "USA", "U", "", " US", "__proto__", "constructor"]) expect(isCountry(code)).toBe(false)
})

test("countries are sorted by the reader's alphabet", () => {
  const place = (language: string, code: string) => countryNames(language).findIndex((country) => country.code === code)
  // Österreich and Ägypten are sorted under O and A.
  expect(place("de", "AT")).toBeLessThan(place("de", "PK"))
  expect(place("de", "EG")).toBeLessThan(place("de", "BE"))
  expect(place("fr", "DE")).toBeLessThan(place("fr", "BE"))
})

test("Hong Kong and Macao are found under their own names", () => {
  const short = {
    en: /^(Hong|Mac)/,
    es: /^(Hong|Mac)/,
    de: /^(Hong|Mac)/,
    fr: /^(Hong|Mac)/,
    pt: /^(Hong|Mac)/,
  }
  for (const [language, name] of Object.entries({ ...short, ja: /^(香港|マカオ)$/, ar: /^(هونغ كونغ|مكاو)$/ })) {
    const found = countryNames(language).filter(({ code }) => code === "HK" || code === "MO")
    for (const country of found) expect(country.name, language).toMatch(name)
  }
})
