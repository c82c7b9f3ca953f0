import { expect, test } from "vitest"
import { alice, bob, burn, describeRule, forceTransfer, mint, transfer } from "#test/fixtures/rules.ts"
import { firstViolation, overridden } from "./check.ts"

const rules = { min_balance: 50n }

describeRule("below_minimum", {
  refuses: [
    ["a mint of less to a new holder", mint({ rules, amount: 49n })],
    ["a transfer of less to a new holder", transfer({ rules, amount: 49n })],
    ["a transfer that leaves less to the sender", transfer({ rules, amount: 51n })],
    ["a forced transfer of less to a new holder", forceTransfer({ rules, amount: 49n })],
    ["a mint of less to a holder who sends everything", mint({ rules, to: bob({ balance: 60n, outgoing: 60n }) })],
  ],
  admits: [
    ["a mint of the minimum", mint({ rules, amount: 50n })],
    ["a mint of less to a holder who has enough", mint({ rules, to: bob({ balance: 50n }), amount: 1n })],
    ["a transfer that leaves the minimum", transfer({ rules, amount: 50n })],
    ["a transfer of everything", transfer({ rules, amount: 100n })],
    ["a forced transfer that leaves less", forceTransfer({ rules, amount: 60n })],
    ["a burn that leaves less", burn({ rules, amount: 60n })],
  ],
})

test("the detail names the wallet that would hold less", () => {
  expect(firstViolation(mint({ rules, amount: 49n }))!.detail).toBe("amount: bob must hold 50 at least.")
  expect(firstViolation(transfer({ rules, amount: 60n }))!.detail).toBe(
    "amount: alice must keep 50 at least, or nothing.",
  )
})

test("a forced act sets it aside for the wallet that it takes from", () => {
  expect(overridden(burn({ rules, amount: 60n }))).toEqual(["below_minimum"])
  expect(overridden(forceTransfer({ rules, amount: 60n }))).toEqual(["below_minimum"])
  expect(overridden(burn({ rules, amount: 100n }))).toEqual([])
  expect(overridden(forceTransfer({ rules, from: alice(), amount: 50n }))).toEqual([])
})
