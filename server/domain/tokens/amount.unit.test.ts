import fc from "fast-check"
import { expect, test } from "vitest"
import { fromBaseUnits, MAX_BASE_UNITS, toBaseUnits } from "./amount.ts"

test.each([
  ["1", 6, 1_000_000n],
  ["250.5", 6, 250_500_000n],
  ["0.000001", 6, 1n],
  ["0", 0, 0n],
  ["7", 0, 7n],
  ["1.0", 1, 10n],
  ["4503599627370495.7", 1, 45_035_996_273_704_957n],
  ["18446744073709551615", 0, MAX_BASE_UNITS],
  ["18446744073.709551615", 9, MAX_BASE_UNITS],
])("%s with %i decimals are %s base units", (text, decimals, units) => {
  expect(toBaseUnits(text, decimals)).toBe(units)
})

test.each([
  ["18446744073709551616", 0],
  ["18446744073.709551616", 9],
  ["1.5", 0],
  ["1.0", 0],
  ["0.0000001", 6],
  ["", 6],
  [".5", 6],
  ["5.", 6],
  ["05", 6],
  ["-1", 6],
  ["+1", 6],
  ["1e3", 6],
  ["1_000", 6],
  ["1,000", 6],
  [" 1", 6],
  ["1 ", 6],
  ["1\n", 6],
  ["Infinity", 6],
  ["0x10", 6],
  ["١", 6],
  ["9".repeat(5000), 6],
])("%j with %i decimals is no amount", (text, decimals) => {
  expect(toBaseUnits(text, decimals)).toBeNull()
})

test("what is written is what was read, without trailing zeros", () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: MAX_BASE_UNITS }),
      fc.integer({ min: 0, max: 9 }),
      (units, decimals) => {
        const text = fromBaseUnits(units, decimals)
        expect(toBaseUnits(text, decimals)).toBe(units)
        expect(text).not.toMatch(/\.\d*0$|\.$/)
      },
    ),
  )
})
