import { alice, bob, describeRule, mint, transfer } from "#test/fixtures/rules.ts"

describeRule("wallet_not_verified", {
  refuses: [
    ["who receives a mint", mint({ to: bob({ claims: null }) })],
    ["who gives", transfer({ from: alice({ claims: null }) })],
    ["who receives", transfer({ to: bob({ claims: null }) })],
  ],
  admits: [["a verified wallet whose claims were erased", mint({ to: bob({ claims: {} }) })]],
})
