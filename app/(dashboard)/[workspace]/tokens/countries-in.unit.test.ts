import { expect, test } from "vitest"
import { alpha2Of } from "#shared/alpha3.ts"
import { countryNames } from "#shared/countries.ts"
import { countriesIn } from "./countries-in.ts"

test.each([
  ["DE, FR;IT\nus", ["DE", "FR", "IT", "US"]],
  ["DE FR\tIT", ["DE", "FR", "IT"]],
  ["Germany (DE), north korea, Bosnia & Herzegovina", ["DE", "KP", "BA"]],
  ["DE, Germany, de", ["DE"]],
  ["UK, USA, UAE, Czech Republic, Virgin Islands (UK), Lao PDR", ["GB", "US", "AE", "CZ", "VG", "LA"]],
  ["Côte d’Ivoire, Côte d'Ivoire, Myanmar", ["CI", "MM"]],
  ["Bosnia and Herzegovina; TRINIDAD AND TOBAGO, Antigua and Barbuda", ["BA", "TT", "AG"]],
  ["Sao Tome and Principe, Cote d'Ivoire, Saint Kitts and Nevis, St Lucia, Curacao", ["ST", "CI", "KN", "LC", "CW"]],
  ["DEU, fra\nPRK", ["DE", "FR", "KP"]],
  ["DEU FRA", ["DE", "FR"]],
  ['"Germany","France"\n"Korea, Republic of"', ["DE", "FR", "KR"]],
  ["['DE', 'FR']", ["DE", "FR"]],
  ["Korea, Republic of, Moldova, Republic of, Iran, Islamic Republic of, Iraq", ["KR", "MD", "IR", "IQ"]],
  ["Korea (the Democratic People's Republic of), Congo (the Democratic Republic of the), Congo", ["KP", "CD", "CG"]],
  ["Bolivia (Plurinational State of), Venezuela, Bolivarian Republic of", ["BO", "VE"]],
  ["Hong Kong SAR China, Macao SAR China, Taiwan, Province of China, China", ["HK", "MO", "TW", "CN"]],
  ["Bonaire, Sint Eustatius and Saba", ["BQ"]],
  ["U.S.A., U.K., Germany (DEU), 3. Spain", ["US", "GB", "DE", "ES"]],
  ["Federal Republic of Germany, Kingdom of the Netherlands, Holy See (Vatican City State)", ["DE", "NL", "VA"]],
  ["Great Britain\nUnited States of America", ["GB", "US"]],
  ["Germany and France", ["DE", "FR"]],
  ["Germany, France, and Italy", ["DE", "FR", "IT"]],
  ["Iran and Serbia, North Korea & Myanmar", ["IR", "RS", "KP", "MM"]],
  ["DE and FR", ["DE", "FR"]],
  ["ALB AND AUT", ["AL", "AD", "AT"]],
  ["Germany FR", ["DE", "FR"]],
  [" , ;", []],
])("%j has the countries %j", (text, codes) => {
  expect(countriesIn(text)).toEqual({ codes, unknown: [] })
})

test("every country is known by its code, by its alpha-3 code and by its name, in any order", () => {
  const countries = countryNames("en")
  for (const list of [countries, countries.toReversed()]) {
    const codes = list.map(({ code }) => code)
    expect(countriesIn(list.map(({ name }) => name).join(", "))).toEqual({ codes, unknown: [] })
    expect(countriesIn(list.map(({ name }) => name.toUpperCase()).join("\n"))).toEqual({ codes, unknown: [] })
  }
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"]
  const triples = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c)))
  const alpha3 = triples.filter((triple) => alpha2Of(triple) !== undefined)
  const codes = countries.flatMap(({ code }) => (code === "XK" ? [] : [code]))
  const found = countriesIn(alpha3.join(","))
  expect({ ...found, codes: found.codes.toSorted() }).toEqual({ codes: codes.toSorted(), unknown: [] })
})

test("a name that two countries share is not guessed", () => {
  const shared = ["Korea", "Republic of China", "State of Georgia", "Republic", "of the", "Northern Ireland"]
  expect(countriesIn(shared.join("; "))).toEqual({ codes: [], unknown: shared })
})

test.each(["Germany and Atlantis", "Spain are France", "all but Iran"])("%j is not guessed", (text) => {
  expect(countriesIn(text)).toEqual({ codes: [], unknown: [text] })
})

test("what is no country is returned as it was written", () => {
  expect(countriesIn("DE, Atlantis, XX FR, constructor, Germany (FR), Germany (XX)")).toEqual({
    codes: ["DE"],
    unknown: ["Atlantis", "XX FR", "constructor", "Germany (FR)", "Germany (XX)"],
  })
})
