import { expect, test } from "vitest"
import { usedOf } from "./meter.tsx"

test("a used limit shows both numbers, and a count without a limit only itself", () => {
  expect(usedOf(3, 5)).toBe("3 of 5")
  expect(usedOf("1000.5", "20000")).toBe("1,000.50 of 20,000")
  expect(usedOf(1200, null)).toBe("1,200")
})
