import { expect, test } from "vitest"
import { alice, bob, describeRule, mint, transfer } from "#test/fixtures/rules.ts"
import { leaves } from "./holders.ts"

describeRule("holder_limit_reached", {
  refuses: [
    ["a mint to a new holder at the cap", mint({ rules: { max_holders: 1 } })],
    ["a transfer of a part to a new holder", transfer({ rules: { max_holders: 1 }, amount: 99n })],
    [
      "a transfer of all by one who is about to receive",
      transfer({ rules: { max_holders: 1 }, amount: 100n, from: alice({ incoming: 1n }) }),
    ],
    [
      "an exit with what is left, while the rest may still come back",
      transfer({ rules: { max_holders: 1 }, amount: 60n, from: alice({ outgoing: 40n }) }),
    ],
    [
      "an exit whose place has gone to somebody else",
      transfer({ rules: { max_holders: 1 }, amount: 100n, from: alice({ hasSlot: false }) }),
    ],
  ],
  admits: [
    ["a new holder below the cap", mint({ rules: { max_holders: 2 } })],
    ["one who holds already", mint({ rules: { max_holders: 1 }, to: bob({ hasSlot: true }) })],
    ["a full exit to a new holder", transfer({ rules: { max_holders: 1 }, amount: 100n })],
  ],
})

test.each([
  ["all that he has", alice(), 100n, true],
  ["all that is not promised elsewhere", alice({ outgoing: 40n }), 60n, false],
  ["less than that", alice(), 99n, false],
  ["all, while more is coming", alice({ incoming: 1n }), 100n, false],
  ["all, without a holder slot of his own", alice({ hasSlot: false }), 100n, false],
  ["a mint", null, 100n, false],
])("whether the giver leaves: %s", (_name, giver, amount, expected) => {
  expect(leaves(giver, amount)).toBe(expected)
})
