import { expect, test } from "vitest"
import { detailsOf } from "./details.ts"

test("a change shows the fields that differ and no others", () => {
  expect(detailsOf({ before: { name: "Fund", decimals: 5 }, after: { name: "Fund", decimals: 6 } })).toEqual([
    { name: "decimals", text: "5 → 6" },
  ])
})

test("each changed rule has the name from its form", () => {
  const before = { transfer_mode: "agent", rules: { allowed_countries: ["US"], max_holders: 5 } }
  const after = {
    transfer_mode: "agent",
    rules: { allowed_countries: ["DE", "US"], max_holders: 5, of_old: 1 },
  }
  expect(detailsOf({ before, after })).toEqual([
    { name: "Only from these countries", text: "US → DE, US" },
    { name: "of old", text: "none → 1" },
  ])
})

test("a value that was added or removed is compared with none", () => {
  expect(detailsOf({ before: { a: 1 }, after: { b: [] } })).toEqual([{ name: "a", text: "1 → none" }])
  expect(detailsOf({ before: {}, after: { paused: true } })).toEqual([{ name: "paused", text: "none → yes" }])
})

test("all other details are shown in words", () => {
  expect(detailsOf({ revoked_by: "Ann", at_once: false, scopes: ["kyc:read", "kyc:write"], note: null })).toEqual([
    { name: "revoked by", text: "Ann" },
    { name: "at once", text: "no" },
    { name: "scopes", text: "kyc:read, kyc:write" },
    { name: "note", text: "none" },
  ])
})
