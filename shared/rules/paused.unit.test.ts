import { describeRule, mint, transfer } from "#test/fixtures/rules.ts"

describeRule("mint_paused", {
  refuses: [
    ["a mint", mint({ config: { paused: true } })],
    ["a transfer", transfer({ config: { paused: true } })],
  ],
  admits: [["once unpaused", transfer()]],
})
