import { expect, test } from "vitest"
import { alice, bob, describeRule, mint, transfer } from "#test/fixtures/rules.ts"
import { firstViolation } from "./check.ts"

const rules = { max_balance_per_investor: 100n }
const richBob = bob({ investor: "inv_bob", ofInvestor: 95n })

describeRule("investor_balance_limit_exceeded", {
  refuses: [
    ["more than the investor may hold in all wallets", mint({ rules, to: richBob, amount: 6n })],
    [
      "a transfer above the limit",
      transfer({ rules, from: alice({ investor: "inv_alice" }), to: richBob, amount: 6n }),
    ],
    ["more than the limit to a wallet of no known investor", mint({ rules, amount: 101n })],
  ],
  admits: [
    ["what fills the limit", mint({ rules, to: richBob, amount: 5n })],
    ["a transfer that fills the limit", transfer({ rules, to: richBob, amount: 5n })],
  ],
})

test("the detail says how much the investor may hold, and not how much they have", () => {
  expect(firstViolation(mint({ rules, to: richBob, amount: 6n }))!.detail).toBe(
    "amount: the investor of bob may hold 100 at most, in all their wallets.",
  )
})
