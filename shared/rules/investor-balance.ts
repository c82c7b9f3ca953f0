import { fromBaseUnits, grouped } from "../amount.ts"
import { AGENT_ONLY, defineRule, GIVING, type Holder } from "./define.ts"
import { isOneInvestor } from "./investors.ts"

/** What all wallets of the receiver's investor have, with what is on its way to them. */
const ownedBy = ({ ofInvestor, balance, incoming }: Holder): bigint => ofInvestor ?? balance + incoming

export const investorBalance = defineRule({
  code: "investor_balance_limit_exceeded",
  name: "Balance by investor",
  fields: {
    max_balance_per_investor: {
      type: "amount",
      description: "Maximum balance of all wallets of one investor, in whole tokens",
      example: "100000",
      label: "Maximum balance per investor",
      hint: "Refuses mints and transfers that would exceed it. The balances of all wallets of an investor count, with what is in progress.",
      summary: (cap) => `Maximum ${grouped(cap)} per investor.`,
      modes: AGENT_ONLY,
    },
  },
  needs: ["max_balance_per_investor"],
  on: GIVING,
  checked: "request",
  readsClaims: false,
  countsInvestors: true,
  remedy: "change_rules",
  check({ from, to, amount, rules: { max_balance_per_investor: cap }, config }) {
    if (isOneInvestor(from, to) || ownedBy(to) + amount <= cap) return null
    return `amount: the investor of ${to.wallet} may hold ${fromBaseUnits(cap, config.decimals)} at most, in all their wallets.`
  },
  passed({ from, to, amount, rules: { max_balance_per_investor: cap }, config: { decimals } }) {
    if (isOneInvestor(from, to)) return "Both wallets are the same investor's."
    const after = fromBaseUnits(ownedBy(to) + amount, decimals)
    return `The investor has ${after} afterwards, and may hold ${fromBaseUnits(cap, decimals)}.`
  },
})
