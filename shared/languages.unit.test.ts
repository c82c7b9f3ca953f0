import { expect, test } from "vitest"
import { directionOf, isLanguage, languageCodes, localeOf, preferredLanguage } from "./languages.ts"

test.each([
  [undefined, "en"],
  ["", "en"],
  ["*", "en"],
  ["de", "de"],
  ["de-CH", "de"],
  ["DE-ch", "de"],
  ["pt-BR,pt;q=0.9,en;q=0.8", "pt"],
  ["nl,ja;q=0.5,fr;q=0.7", "fr"],
  ["en;q=0.1, es ;q=0.9", "es"],
  ["fr;q=0,de;q=0.3", "de"],
  ["fr;q=0", "en"],
  ["de,fr", "de"],
  ["ar", "ar"],
  ["ar-SA,ar;q=0.9,en;q=0.8", "ar"],
  ["ar-EG", "ar"],
  ["en;q=0.5,ar-u-nu-latn", "ar"],
  // Egyptian Arabic by its own code, and Aragonese.
  ["arz,an", "en"],
  ["de;q=high,fr;q=0.2", "fr"],
  ["constructor,__proto__,toString", "en"],
  [",;,;;q=,", "en"],
  ["zh-Hant-TW,ko", "en"],
])("a browser that accepts %j gets %s", (accepted, language) => {
  expect(preferredLanguage(accepted)).toBe(language)
})

test("only the first twenty ranges of the header are read", () => {
  expect(preferredLanguage(`${"xx,".repeat(20)}de`)).toBe("en")
  expect(preferredLanguage(`${"xx,".repeat(19)}de`)).toBe("de")
})

test("only the codes of the table are languages", () => {
  expect(["de", "DE", "", "toString", "__proto__"].map(isLanguage)).toEqual([true, false, false, false, false])
})

test("each language is read in the direction of its script", () => {
  for (const language of languageCodes) {
    const { script } = new Intl.Locale(language).maximize()
    expect(directionOf(language), language).toBe(script === "Arab" ? "rtl" : "ltr")
  }
})

test("every language has Gregorian dates and European digits", () => {
  for (const language of languageCodes) {
    const { calendar, numberingSystem } = new Intl.DateTimeFormat(localeOf(language)).resolvedOptions()
    expect([calendar, numberingSystem], language).toEqual(["gregory", "latn"])
  }
})
