import { alice, bob, describeRule, mint, transfer } from "#test/fixtures/rules.ts"

const US = { allowed_countries: ["US", "CA"] }
const NOT_KP = { blocked_countries: ["KP"] }
const from = (country: string) => ({ claims: { country } })

describeRule("country_not_allowed", {
  refuses: [
    ["one that is not among the allowed", mint({ rules: US, to: bob(from("DE")) })],
    ["one that is blocked", mint({ rules: NOT_KP, to: bob(from("KP")) })],
    ["one that is allowed and blocked", mint({ rules: { ...US, blocked_countries: ["US"] } })],
    ["the sender's", transfer({ rules: NOT_KP, from: alice(from("KP")) })],
    ["the recipient's", transfer({ rules: NOT_KP, to: bob(from("KP")) })],
    ["an unknown one, if some are allowed", mint({ rules: US, to: bob({ claims: {} }) })],
    ["an unknown one, if some are blocked", mint({ rules: NOT_KP, to: bob({ claims: {} }) })],
  ],
  admits: [
    ["one that is allowed", transfer({ rules: US, to: bob(from("CA")) })],
    ["one that is not blocked", mint({ rules: NOT_KP, to: bob(from("DE")) })],
    ["an unknown one, without a country rule", mint({ to: bob({ claims: {} }) })],
  ],
})
