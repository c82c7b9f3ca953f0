import { alice, describeRule, mint, transfer } from "#test/fixtures/rules.ts"

describeRule("insufficient_balance", {
  refuses: [
    ["one unit too many", transfer({ amount: 101n })],
    ["with what has been promised elsewhere", transfer({ from: alice({ outgoing: 91n }) })],
    ["what is on its way cannot be spent", transfer({ from: alice({ balance: 9n, incoming: 100n }) })],
  ],
  admits: [
    ["all of it", transfer({ amount: 100n })],
    ["all that is not promised", transfer({ from: alice({ outgoing: 90n }) })],
    ["a mint, which takes from nobody", mint({ amount: 1000n })],
    [
      "whatever the chain decides in holder mode",
      transfer({ amount: 101n, config: { knowsBalances: false } }),
    ],
  ],
})
