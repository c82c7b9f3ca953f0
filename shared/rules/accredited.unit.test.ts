import { alice, bob, describeRule, mint, transfer } from "#test/fixtures/rules.ts"
import { readRules } from "./fields.ts"

const ACCREDITED = { require_accredited: true as const }
const from = (country: string) => ({ claims: { country } })

describeRule("not_accredited", {
  refuses: [
    ["an investor who is not accredited", mint({ rules: ACCREDITED, to: bob({ claims: { accredited: false } }) })],
    ["an investor of whom it is unknown", mint({ rules: ACCREDITED, to: bob(from("US")) })],
    ["the giver", transfer({ rules: ACCREDITED, from: alice(from("US")) })],
    ["the receiver", transfer({ rules: ACCREDITED, to: bob(from("US")) })],
  ],
  admits: [
    ["an accredited one", mint({ rules: ACCREDITED, to: bob({ claims: { accredited: true } }) })],
    [
      "any investor if the rule is off",
      mint({ rules: readRules({ require_accredited: false }, 0), to: bob(from("US")) }),
    ],
  ],
})
