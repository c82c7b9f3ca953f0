import fc from "fast-check"
import { expect, test } from "vitest"
import {
  fromBaseUnits,
  grouped,
  groupedTo,
  limitsOf,
  MAX_BASE_UNITS,
  percentOf,
  perMilleOf,
  placesOf,
  shareOf,
  toBaseUnits,
  withoutTrailingZeros,
} from "./amount.ts"

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
])("%j with %i decimals is not an amount", (text, decimals) => {
  expect(toBaseUnits(text, decimals)).toBeNull()
})

test("an amount is written as it was read, without trailing zeros", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: MAX_BASE_UNITS }), fc.integer({ min: 0, max: 9 }), (units, decimals) => {
      const text = fromBaseUnits(units, decimals)
      expect(toBaseUnits(text, decimals)).toBe(units)
      expect(text).not.toMatch(/\.\d*0$|\.$/)
    }),
  )
})

test.each(["7", "100", "0.5", "2.50", "2.000", "1000.0010", "0.10"])("%s loses no digit that counts", (amount) => {
  expect(withoutTrailingZeros(amount)).toBe(fromBaseUnits(toBaseUnits(amount, 9)!, 9))
})

test.each([
  ["0", "0"],
  ["999", "999"],
  ["1000", "1,000"],
  ["1234567.1234567", "1,234,567.1234567"],
  ["18446744073709551615", "18,446,744,073,709,551,615"],
])("%s reads %s", (amount, text) => {
  expect(grouped(amount)).toBe(text)
})

test.each([
  ["0", "1000", 0],
  ["2.5", "1000", 2],
  ["999.999999999", "1000", 999],
  ["1000", "1000", 1000],
  ["9007199254740993", "18014398509481986", 500],
  ["0.000000001", "0.000000004", 250],
  ["0", "0", 1000],
])("%s of %s is %i thousandths", (part, whole, perMille) => {
  expect(perMilleOf(part, whole)).toBe(perMille)
})

test("the limits in the message are those that apply", () => {
  for (const decimals of [0, 6, 9]) {
    const most = fromBaseUnits(MAX_BASE_UNITS, decimals)
    expect(limitsOf(decimals)).toContain(most)
    expect(toBaseUnits(most, decimals)).toBe(MAX_BASE_UNITS)
  }
})

test.each([
  [1n, 3n, "33.3333"],
  [3n, 3n, "100"],
  [0n, 3n, "0"],
  [-5n, 3n, "0"],
  [1n, 2_000_000n, "<0.0001"],
  [2n ** 64n - 1n, 2n ** 64n - 1n, "100"],
  [2n ** 64n - 2n, 2n ** 64n - 1n, "99.9999"],
  [1n, 8n, "12.5"],
  [5n, 0n, null],
])("%d of %d are %s percent", (part, whole, percent) => {
  expect(percentOf(part, whole, 4)).toBe(percent)
})

test.each([
  [1n, 25n, "4.00"],
  [1n, 8n, "12.50"],
  [1n, 3n, "33.33"],
  [5n, 5n, "100.00"],
  [99_999n, 100_000n, "99.99"],
  [0n, 5n, "0.00"],
  [1n, 10_001n, "<0.01"],
  [0n, 0n, null],
])("the dashboard shows %d of %d as %s percent", (part, whole, share) => {
  expect(shareOf(part, whole)).toBe(share)
})

test("a percentage has the requested number of places", () => {
  expect(percentOf(1n, 3n, 8)).toBe("33.33333333")
  expect(percentOf(1n, 10n ** 12n, 8)).toBe("<0.00000001")
})

test("a column of amounts has the same number of digits after the point", () => {
  const amounts = ["6000.5", "16750.75", "118000", "0"]
  expect(placesOf(amounts)).toBe(2)
  expect(amounts.map((amount) => groupedTo(2, amount))).toEqual(["6,000.50", "16,750.75", "118,000.00", "0.00"])
  expect(placesOf(["5", "1000"])).toBe(0)
  expect(placesOf([])).toBe(0)
  expect(placesOf(["90000", "14750.5"])).toBe(2)
  expect(groupedTo(0, "1000")).toBe("1,000")
})
