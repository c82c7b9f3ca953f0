import { expect, test } from "vitest"
import { completeRules, configOf, draftOf, emptyDraft, suggestId, suggestSymbol } from "./draft.ts"

const token = {
  id: "harbour_v1",
  name: "Harbour",
  symbol: "HARB",
  decimals: 2,
  required_schema: "kyc_individual_v1",
  transfer_mode: "agent" as const,
  rules: {
    allowed_countries: ["US", "CA"],
    blocked_countries: ["KP"],
    require_accredited: true,
    max_supply: "1000000.5",
    max_holders: 2000,
    max_balance_per_wallet: "50000",
    transfers_locked_until: "2027-01-01T00:00:00Z",
  },
}
const entered = (rules: Partial<(typeof emptyDraft)["rules"]>) =>
  configOf({ ...emptyDraft, rules: { ...emptyDraft.rules, ...rules } }, "UTC").rules

test("the form changes nothing about a token in any time zone", () => {
  for (const zone of ["UTC", "Asia/Tokyo", "America/New_York"]) {
    expect(configOf(draftOf(token, zone), zone)).toEqual(token)
  }
  expect(draftOf(token, "Asia/Tokyo").rules.transfers_locked_until).toBe("2027-01-01T09:00:00")
})

test("an empty form sets no rule", () => {
  expect(configOf(emptyDraft, "UTC").rules).toEqual({})
  expect(entered({ max_supply: "  ", max_holders: " ", require_accredited: false })).toEqual({})
})

test("separators of thousands are dropped, and text that is not a number or time is sent unchanged", () => {
  expect(entered({ max_supply: " 1,000_000 000.50 ", max_holders: "2,000" })).toEqual({
    max_supply: "1000000000.50",
    max_holders: 2000,
  })
  expect(entered({ max_supply: "1.5e3", max_holders: "many", transfers_locked_until: "soon" })).toEqual({
    max_supply: "1.5e3",
    max_holders: "many",
    transfers_locked_until: "soon",
  })
})

test("a rule that the mode cannot hold is not sent, and returns with the other mode", () => {
  const draft = { ...draftOf(token, "UTC"), transfer_mode: "holder" as const }
  expect(Object.keys(configOf(draft, "UTC").rules)).toEqual([
    "allowed_countries",
    "blocked_countries",
    "require_accredited",
    "max_supply",
  ])
  expect(configOf({ ...draft, transfer_mode: "agent" }, "UTC").rules).toEqual(token.rules)
})

test.each([
  ["US Real Estate Fund", "us_real_estate_fund_v1"],
  ["  Crédit & Co. ", "credit_co_v1"],
  ["…", ""],
])("the name %j suggests its id", (name, id) => {
  expect(suggestId(name)).toBe(id)
})

test.each([
  ["US Real Estate Fund", "UREF"],
  ["Solar Bond 2030", "SB2030"],
  ["Éclair", "ECLA"],
  ["Harbour", "HARB"],
  ["a b c d e f g h i j k l", "ABCDEFGHIJ"],
  ["基金", ""],
])("the name %s suggests the symbol %s", (name, symbol) => {
  expect(suggestSymbol(name)).toBe(symbol)
})

test("only rules that are entered completely are summarised", () => {
  expect(completeRules(token.rules)).toEqual(token.rules)
  const wrong = {
    max_supply: "1e",
    max_holders: "many",
    transfers_locked_until: "2027-1",
    max_investors_by_country: { US: "x" },
  }
  for (const [name, value] of Object.entries(wrong)) {
    const others = Object.fromEntries(Object.entries(token.rules).filter(([one]) => one !== name))
    expect(completeRules({ ...others, [name]: value } as typeof token.rules)).toEqual(others)
  }
})
