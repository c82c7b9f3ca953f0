import { alice, describeRule, mint, transfer } from "#test/fixtures/rules.ts"

describeRule("insufficient_balance", {
  refuses: [
    ["one unit too many", transfer({ amount: 101n })],
    ["one unit too many with outgoing tokens", transfer({ from: alice({ outgoing: 91n }) })],
    ["incoming tokens", transfer({ from: alice({ balance: 9n, incoming: 100n }) })],
  ],
  admits: [
    ["all of it", transfer({ amount: 100n })],
    ["all that is not outgoing", transfer({ from: alice({ outgoing: 90n }) })],
    ["a mint, which has no sender", mint({ amount: 1000n })],
    [
      "any amount in holder mode, where the chain decides",
      transfer({ amount: 101n, config: { knowsBalances: false } }),
    ],
  ],
})
