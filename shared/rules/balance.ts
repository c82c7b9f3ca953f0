import { fromBaseUnits } from "../amount.ts"
import { defineRule, TAKING } from "./define.ts"

export const balance = defineRule({
  code: "insufficient_balance",
  name: "Balance",
  fields: {},
  needs: [],
  on: TAKING,
  checked: "request",
  readsClaims: false,
  bindsRecovery: true,
  remedy: null,
  applies: ({ config }) => config.knowsBalances,
  check({ from, amount, config }) {
    const movable = from.balance - from.outgoing
    if (movable >= amount) return null
    return `amount: ${from.wallet} can move ${fromBaseUnits(movable, config.decimals)} at most.`
  },
  passed: ({ from, config }) => `The wallet can move ${fromBaseUnits(from.balance - from.outgoing, config.decimals)}.`,
})
