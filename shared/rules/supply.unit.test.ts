import { describeRule, mint, transfer } from "#test/fixtures/rules.ts"
import { MAX_BASE_UNITS } from "../amount.ts"

describeRule("supply_cap_exceeded", {
  refuses: [
    ["one unit too many", mint({ rules: { max_supply: 109n } })],
    ["more than a mint can hold, without a rule", mint({ config: { issued: MAX_BASE_UNITS }, amount: 1n })],
    ["a limit that is already exceeded", mint({ rules: { max_supply: 50n }, amount: 1n })],
  ],
  admits: [
    ["up to the limit", mint({ rules: { max_supply: 110n } })],
    ["all that a mint can hold", mint({ config: { issued: MAX_BASE_UNITS - 1n }, amount: 1n })],
    ["a transfer, which mints nothing", transfer({ rules: { max_supply: 100n } })],
  ],
})
