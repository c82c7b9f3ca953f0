import { expect, test } from "vitest"
import { countriesIn } from "./countries-in.ts"

test.each([
  ["DE, FR;IT\nus", ["DE", "FR", "IT", "US"]],
  ["DE FR\tIT", ["DE", "FR", "IT"]],
  ["Germany (DE), north korea, Bosnia & Herzegovina", ["DE", "KP", "BA"]],
  ["DE, Germany, de", ["DE"]],
  ["UK, USA, UAE, Czech Republic, Virgin Islands (UK), Lao PDR", ["GB", "US", "AE", "CZ", "VG", "LA"]],
  ["Côte d’Ivoire, Côte d'Ivoire, Myanmar", ["CI", "MM"]],
  ["Great Britain\nUnited States of America", ["GB", "US"]],
  [" , ;", []],
])("%j has the countries %j", (text, codes) => {
  expect(countriesIn(text)).toEqual({ codes, unknown: [] })
})

test("what is no country is returned as it was written", () => {
  expect(countriesIn("DE, Atlantis, XX FR, constructor, Germany (FR), Germany (XX)")).toEqual({
    codes: ["DE"],
    unknown: ["Atlantis", "XX FR", "constructor", "Germany (FR)", "Germany (XX)"],
  })
})
