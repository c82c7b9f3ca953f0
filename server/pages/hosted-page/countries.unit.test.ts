import { expect, test } from "vitest"
import { languageCodes } from "#shared/languages.ts"
import { countriesFor } from "./countries.ts"

test("in Japanese, countries come in the order of their sound", () => {
  const names = countriesFor("ja").map(({ name }) => name)
  const inOrder = ["エジプト", "韓国", "北朝鮮", "タイ", "台湾", "中国", "チリ", "日本", "香港", "南アフリカ", "ロシア"]
  expect(names.filter((name) => inOrder.includes(name))).toEqual(inOrder)
  // A name in kanji whose reading is not known stands after all others.
  expect(names.at(-1)).toBe("ロシア")
})

test.each(languageCodes)("%s has every country once", (language) => {
  expect(new Set(countriesFor(language).map(({ code }) => code)).size).toBe(250)
})
