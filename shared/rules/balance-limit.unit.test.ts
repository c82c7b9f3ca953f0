import { bob, describeRule, mint, transfer } from "#test/fixtures/rules.ts"

describeRule("balance_limit_exceeded", {
  refuses: [
    ["one unit too many", mint({ rules: { max_balance_per_wallet: 9n } })],
    [
      "with what is on its way",
      transfer({ rules: { max_balance_per_wallet: 20n }, to: bob({ balance: 5n, incoming: 6n }) }),
    ],
    [
      "what is about to leave makes no room before it has left",
      mint({ rules: { max_balance_per_wallet: 20n }, to: bob({ balance: 15n, outgoing: 15n }) }),
    ],
  ],
  admits: [
    ["up to the limit", mint({ rules: { max_balance_per_wallet: 10n } })],
    [
      "up to the limit with what is on its way",
      transfer({ rules: { max_balance_per_wallet: 20n }, to: bob({ balance: 5n, incoming: 5n }) }),
    ],
    ["a giver above the limit", transfer({ rules: { max_balance_per_wallet: 10n } })],
  ],
})
