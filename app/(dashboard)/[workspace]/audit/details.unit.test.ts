import { expect, test } from "vitest"
import { detailsOf } from "./details.ts"

test("of a change, what is different is said, and what stayed is not", () => {
  const before = { name: "Fund", max_holders: 5, rules: { allowed_countries: ["US"] } }
  const after = { name: "Fund", max_holders: 6, rules: { allowed_countries: ["DE", "US"] } }
  expect(detailsOf({ before, after })).toEqual([
    { name: "max holders", text: "5 → 6" },
    { name: "rules", text: "allowed countries US → allowed countries DE, US" },
  ])
})

test("what came or went is said against none", () => {
  expect(detailsOf({ before: { a: 1 }, after: { b: [] } })).toEqual([{ name: "a", text: "1 → none" }])
  expect(detailsOf({ before: {}, after: { paused: true } })).toEqual([{ name: "paused", text: "none → yes" }])
})

test("everything else is said as it is, for people", () => {
  expect(
    detailsOf({ revoked_by: "Ann", at_once: false, scopes: ["kyc:read", "kyc:write"], note: null }),
  ).toEqual([
    { name: "revoked by", text: "Ann" },
    { name: "at once", text: "no" },
    { name: "scopes", text: "kyc:read, kyc:write" },
    { name: "note", text: "none" },
  ])
})
