import { fromBaseUnits, grouped, MAX_BASE_UNITS } from "../amount.ts"
import { defineRule, EVERY_MODE } from "./define.ts"

/** Checked even if no field is set, because a mint holds at most 2^64 − 1 base units. */
export const supply = defineRule({
  code: "supply_cap_exceeded",
  name: "Supply",
  fields: {
    max_supply: {
      type: "amount",
      description: "Maximum supply, in whole tokens",
      example: "1000000",
      label: "Maximum supply",
      hint: "Refuses mints above it.",
      summary: (cap) => `Maximum supply ${grouped(cap)}.`,
      modes: EVERY_MODE,
    },
  },
  needs: [],
  on: ["mint"],
  checked: "request",
  readsClaims: false,
  remedy: "change_rules",
  check({ amount, rules: { max_supply }, config: { issued, decimals } }) {
    const cap = max_supply ?? MAX_BASE_UNITS
    if (issued + amount <= cap) return null
    const left = fromBaseUnits(cap > issued ? cap - issued : 0n, decimals)
    const most = fromBaseUnits(cap, decimals)
    return max_supply === undefined
      ? `amount: ${left} can still be minted: with ${decimals} decimals a token has at most ${most}.`
      : `amount: ${left} of the supply of ${most} can still be minted.`
  },
  passed({ amount, rules: { max_supply }, config: { issued, decimals } }) {
    // The limit of the mint itself means nothing to a reader.
    if (max_supply === undefined) return "No maximum supply is set."
    const left = fromBaseUnits(max_supply - issued - amount, decimals)
    return `${left} of ${fromBaseUnits(max_supply, decimals)} left to mint afterwards.`
  },
})
