import { expect, test } from "vitest"
import { countries } from "#app/verify/[session_id]/countries.ts"
import { isCountry } from "#shared/countries.ts"

test("the countries that the server takes are those that its pages offer, and no other code is one", () => {
  const offered = new Set(countries.map(({ code }) => code))
  expect(offered.size).toBe(249)
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"]
  const taken = letters.flatMap((a) => letters.map((b) => a + b)).filter(isCountry)
  expect(new Set(taken)).toEqual(offered)
  for (const code of ["us", "USA", "U", "", " US", "__proto__", "constructor"])
    expect(isCountry(code)).toBe(false)
})
