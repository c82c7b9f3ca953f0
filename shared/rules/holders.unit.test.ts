import { expect, test } from "vitest"
import { alice, bob, describeRule, mint, transfer } from "#test/fixtures/rules.ts"
import { leaves } from "./holders.ts"

describeRule("holder_limit_reached", {
  refuses: [
    ["a mint to a new holder at the limit", mint({ rules: { max_holders: 1 } })],
    ["a transfer of a part to a new holder", transfer({ rules: { max_holders: 1 }, amount: 99n })],
    [
      "a transfer of the whole balance with incoming tokens",
      transfer({ rules: { max_holders: 1 }, amount: 100n, from: alice({ incoming: 1n }) }),
    ],
    [
      "a transfer of the rest while outgoing tokens may still come back",
      transfer({ rules: { max_holders: 1 }, amount: 60n, from: alice({ outgoing: 40n }) }),
    ],
    [
      "a transfer of the whole balance without a holder slot",
      transfer({ rules: { max_holders: 1 }, amount: 100n, from: alice({ hasSlot: false }) }),
    ],
  ],
  admits: [
    ["a new holder below the limit", mint({ rules: { max_holders: 2 } })],
    ["an existing holder", mint({ rules: { max_holders: 1 }, to: bob({ hasSlot: true }) })],
    ["a transfer of the whole balance to a new holder", transfer({ rules: { max_holders: 1 }, amount: 100n })],
  ],
})

test.each([
  ["the whole balance", alice(), 100n, true],
  ["all that is not outgoing", alice({ outgoing: 40n }), 60n, false],
  ["less than that", alice(), 99n, false],
  ["the whole balance with incoming tokens", alice({ incoming: 1n }), 100n, false],
  ["the whole balance without a holder slot", alice({ hasSlot: false }), 100n, false],
  ["a mint", null, 100n, false],
])("whether the sender frees its slot: %s", (_name, giver, amount, expected) => {
  expect(leaves(giver, amount)).toBe(expected)
})
