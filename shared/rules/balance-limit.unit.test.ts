import { bob, describeRule, mint, transfer } from "#test/fixtures/rules.ts"

describeRule("balance_limit_exceeded", {
  refuses: [
    ["one unit too many", mint({ rules: { max_balance_per_wallet: 9n } })],
    [
      "one unit too many with incoming tokens",
      transfer({ rules: { max_balance_per_wallet: 20n }, to: bob({ balance: 5n, incoming: 6n }) }),
    ],
    [
      "outgoing tokens count until they have left",
      mint({ rules: { max_balance_per_wallet: 20n }, to: bob({ balance: 15n, outgoing: 15n }) }),
    ],
  ],
  admits: [
    ["up to the limit", mint({ rules: { max_balance_per_wallet: 10n } })],
    [
      "up to the limit with incoming tokens",
      transfer({ rules: { max_balance_per_wallet: 20n }, to: bob({ balance: 5n, incoming: 5n }) }),
    ],
    ["a sender above the limit", transfer({ rules: { max_balance_per_wallet: 10n } })],
  ],
})
