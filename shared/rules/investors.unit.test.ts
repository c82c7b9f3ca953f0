import { expect, test } from "vitest"
import { alice, bob, describeRule, mint, transfer } from "#test/fixtures/rules.ts"
import { firstViolation } from "./check.ts"

const one = { investors: 1, "country:US": 1 }
const counts = { before: one, after: { investors: 2, "country:US": 1, "country:JP": 1, non_accredited: 1 } }
const stays = { before: one, after: one }
const JP = { max_investors_by_country: { JP: 0 } }

describeRule("investor_limit_reached", {
  refuses: [
    ["a new investor at the limit", mint({ rules: { max_investors: 1 }, counts })],
    ["a new investor from a country at its limit", mint({ rules: JP, counts })],
    ["a new investor who is not accredited", mint({ rules: { max_non_accredited_investors: 0 }, counts })],
    ["a transfer to a new investor", transfer({ rules: { max_investors: 1 }, counts })],
  ],
  admits: [
    ["a new investor below the limit", mint({ rules: { max_investors: 2 }, counts })],
    ["a new investor from another country", mint({ rules: { max_investors_by_country: { US: 1 } }, counts })],
    ["an investor who has a slot", mint({ rules: { max_investors: 1, ...JP }, counts: stays })],
    ["a transfer to an investor who has a slot", transfer({ rules: { max_investors: 1 }, counts: stays })],
  ],
})

test("the detail says which limit, and a country only to callers who may know claims", () => {
  const detailOf = (context: Parameters<typeof firstViolation>[0]) => firstViolation(context)!.detail
  expect(detailOf(mint({ rules: { max_investors: 1 }, counts }))).toBe(
    "The token has reached its maximum of 1 investors.",
  )
  expect(detailOf(mint({ rules: { max_non_accredited_investors: 0 }, counts }))).toBe(
    "The token has reached its maximum of 0 investors who are not accredited.",
  )
  expect(detailOf(mint({ rules: JP, counts }))).toBe("The token has reached its maximum of investors from one country.")
  expect(detailOf({ ...mint({ rules: JP, counts }), namesClaims: true })).toBe(
    "The token has reached its maximum of 0 investors from Japan (JP).",
  )
})

test("between two wallets of one investor, no limit by investor counts", () => {
  const ends = { from: alice({ investor: "inv_1" }), to: bob({ investor: "inv_1", ofInvestor: 100n }) }
  const rules = { max_investors: 1, max_balance_per_investor: 50n, min_balance: 60n }
  expect(firstViolation(transfer({ ...ends, rules, amount: 50n, counts: stays }))).toBeNull()
  const other = { ...ends, to: bob({ investor: "inv_2" }) }
  expect(firstViolation(transfer({ ...other, rules, amount: 51n, counts: stays }))!.code).toBe(
    "investor_balance_limit_exceeded",
  )
})
