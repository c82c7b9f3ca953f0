import { fromBaseUnits, grouped } from "../amount.ts"
import { AGENT_ONLY, defineRule, GIVING } from "./define.ts"

export const balanceLimit = defineRule({
  code: "balance_limit_exceeded",
  name: "Balance limit",
  fields: {
    max_balance_per_wallet: {
      type: "amount",
      description: "Maximum balance of one wallet, in whole tokens",
      example: "50000",
      label: "Maximum balance per wallet",
      hint: "Refuses mints and transfers that would exceed it, including those in progress.",
      summary: (cap) => `Maximum ${grouped(cap)} per wallet.`,
      modes: AGENT_ONLY,
    },
  },
  needs: ["max_balance_per_wallet"],
  on: GIVING,
  checked: "request",
  readsClaims: false,
  remedy: "change_rules",
  check({ to, amount, rules: { max_balance_per_wallet: cap }, config }) {
    if (to.balance + to.incoming + amount <= cap) return null
    return `amount: ${to.wallet} may hold ${fromBaseUnits(cap, config.decimals)} at most.`
  },
  passed({ to, amount, rules: { max_balance_per_wallet: cap }, config: { decimals } }) {
    const after = fromBaseUnits(to.balance + to.incoming + amount, decimals)
    return `The wallet has ${after} afterwards, and may hold ${fromBaseUnits(cap, decimals)}.`
  },
})
