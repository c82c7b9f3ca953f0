import { expect, test } from "vitest"
import { usedOf } from "./meter.tsx"

test("what is used of a limit names both; without one it is a number alone", () => {
  expect(usedOf(3, 5)).toBe("3 of 5")
  expect(usedOf("1000.5", "20000")).toBe("1,000.5 of 20,000")
  expect(usedOf(1200, null)).toBe("1,200")
})
