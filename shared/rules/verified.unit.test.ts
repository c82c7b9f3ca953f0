import { alice, bob, describeRule, mint, transfer } from "#test/fixtures/rules.ts"

describeRule("wallet_not_verified", {
  refuses: [
    ["the recipient of a mint", mint({ to: bob({ claims: null }) })],
    ["the sender", transfer({ from: alice({ claims: null }) })],
    ["the recipient", transfer({ to: bob({ claims: null }) })],
  ],
  admits: [["a verified wallet whose claims were erased", mint({ to: bob({ claims: {} }) })]],
})
