import { expect, test } from "vitest"
import { languageCodes } from "#shared/languages.ts"
import { countriesFor } from "./countries.ts"

test("Japanese lists countries by their sound", () => {
  const names = countriesFor("ja").map(({ name }) => name)
  const inOrder = ["エジプト", "韓国", "北朝鮮", "タイ", "台湾", "中国", "チリ", "日本", "香港", "南アフリカ", "ロシア"]
  expect(names.filter((name) => inOrder.includes(name))).toEqual(inOrder)
  // A kanji name without a reading would sort last.
  expect(names.at(-1)).toBe("ロシア")
})

test.each(languageCodes)("%s lists each country once", (language) => {
  expect(new Set(countriesFor(language).map(({ code }) => code)).size).toBe(250)
})
