import { readFileSync } from "node:fs"
import fc from "fast-check"
import { expect, test } from "vitest"
import { brandColors, contrast, isColor, surfaces } from "./contrast.ts"

const color = fc
  .tuple(...Array.from({ length: 3 }, () => fc.integer({ min: 0, max: 255 })))
  .map((parts) => `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`)

test("contrast matches WCAG's examples", () => {
  expect(contrast("#ffffff", "#000000")).toBe(21)
  expect(contrast("#777777", "#777777")).toBe(1)
  // https://www.w3.org/TR/WCAG22/#contrast-minimum: the grey that is just not enough, and the one that just is.
  expect(contrast("#ffffff", "#777777")).toBeCloseTo(4.478, 3)
  expect(contrast("#767676", "#ffffff")).toBeCloseTo(4.542, 3)
})

test("all text is readable on every company colour, light and dark", () => {
  fc.assert(
    fc.property(color, fc.constantFrom(...Object.values(surfaces)), (color, surface) => {
      const { button, buttonInk, buttonStrong, accent, accentInk, needsEdge } = brandColors(color, surface)
      expect(button).toBe(color)
      for (const [text, background] of [
        [buttonInk, button],
        [buttonInk, buttonStrong],
        [accent, surface],
        [accentInk, accent],
      ] as const) {
        expect(contrast(text, background), `${text} on ${background}`).toBeGreaterThanOrEqual(4.5)
      }
      expect(needsEdge).toBe(contrast(color, surface) < 3)
      for (const one of [button, buttonInk, buttonStrong, accent, accentInk]) expect(isColor(one)).toBe(true)
    }),
    { numRuns: 2000 },
  )
})

test("a readable colour stays unchanged", () => {
  expect(brandColors("#1d4ed8", surfaces.light).accent).toBe("#1d4ed8")
  expect(brandColors("#ffe066", surfaces.dark).accent).toBe("#ffe066")
  expect(brandColors("#ffe066", surfaces.light).accent).not.toBe("#ffe066")
})

test("the surfaces equal those of the pages", () => {
  const [, light, dark] = /--surface: light-dark\((\S+), (\S+)\)/.exec(
    readFileSync(new URL("tokens.css", import.meta.url), "utf8"),
  )!
  expect({ light, dark }).toEqual(surfaces)
})

test.each(["#FFF", "#fff", "red", "#12345g", "#1234567", "", "#ffffff;}"])("%j is not a colour", (text) => {
  expect(isColor(text)).toBe(false)
})
