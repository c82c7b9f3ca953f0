import { expect, test } from "vitest"
import { alice, burn, describeRule, forceTransfer, mint, transfer } from "#test/fixtures/rules.ts"
import { firstViolation } from "./check.ts"

const from = alice({ held: 60n })
const others = ["hold_1"]

describeRule("amount_held", {
  refuses: [
    ["a transfer of one unit too many", transfer({ from, amount: 41n })],
    ["a burn", burn({ from, amount: 41n })],
    ["a forced transfer", forceTransfer({ from, amount: 41n })],
    ["more than is free while tokens are outgoing", transfer({ from: alice({ held: 60n, outgoing: 31n }) })],
    ["more than is free and named", burn({ from, amount: 61n, holds: { named: 20n, others } })],
  ],
  admits: [
    ["all that is free", transfer({ from, amount: 40n })],
    ["what is free and named", burn({ from, amount: 60n, holds: { named: 20n, others } })],
    ["all of it if all is named", forceTransfer({ from, amount: 100n, holds: { named: 60n, others: [] } })],
    ["a mint to a wallet with holds", mint({ to: from })],
    ["any amount in holder mode, where the chain decides", transfer({ from, config: { knowsBalances: false } })],
  ],
})

test("more than the balance is refused as such, whatever is held", () => {
  expect(firstViolation(transfer({ from, amount: 101n }))?.code).toBe("insufficient_balance")
})

test("the detail names the holds, at most five of them", () => {
  const many = Array.from({ length: 7 }, (_, i) => `hold_${i}`)
  const detail = (others: string[]) =>
    firstViolation(transfer({ from, amount: 41n, holds: { named: 0n, others } }))?.detail
  expect(detail(others)).toBe(
    "amount: alice can move 40 at most. The rest is held by hold_1. Release a hold, or send less.",
  )
  expect(detail(many)).toContain("hold_0, hold_1, hold_2, hold_3, hold_4 and 2 more.")
})
