import { expect, test } from "vitest"
import { nearTo } from "./near.ts"

test.each([
  ["wallet_not_verifed", "wallet_not_verified"],
  ["WALLET_NOT_VERIFIED", "wallet_not_verified"],
  ["route_notfound", "route_not_found"],
])("%s is near to %s", (mistyped, code) => {
  expect(nearTo(mistyped)[0]).toBe(code)
})

test("at most five are named, and of what resembles none, none", () => {
  expect(nearTo("not_found").length).toBeLessThanOrEqual(5)
  expect(nearTo("xyzzy")).toEqual([])
})
