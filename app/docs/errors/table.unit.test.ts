import { expect, test } from "vitest"
import { errors } from "#shared/errors.ts"
import { type DocumentedError, nearTo } from "./table.tsx"

const table = Object.keys(errors).map((code) => ({ code })) as DocumentedError[]
const near = (code: string) => nearTo(code, table).map((error) => error.code)

test.each([
  ["wallet_not_verifed", "wallet_not_verified"],
  ["WALLET_NOT_VERIFIED", "wallet_not_verified"],
  ["route_notfound", "route_not_found"],
])("%s is near to %s", (mistyped, code) => {
  expect(near(mistyped)[0]).toBe(code)
})

test("at most five are named, and of what resembles none, none", () => {
  expect(near("not_found").length).toBeLessThanOrEqual(5)
  expect(near("xyzzy")).toEqual([])
})
