import { expect, test } from "vitest"
import { nearTo } from "./near.ts"

test.each([
  ["wallet_not_verifed", "wallet_not_verified"],
  ["WALLET_NOT_VERIFIED", "wallet_not_verified"],
  ["route_notfound", "route_not_found"],
])("%s is similar to %s", (mistyped, code) => {
  expect(nearTo(mistyped)[0]).toBe(code)
})

test("at most five codes are suggested, and none for an unlike code", () => {
  expect(nearTo("not_found").length).toBeLessThanOrEqual(5)
  expect(nearTo("xyzzy")).toEqual([])
})
