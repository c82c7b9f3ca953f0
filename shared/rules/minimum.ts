import { fromBaseUnits, grouped } from "../amount.ts"
import { AGENT_ONLY, defineRule, GIVING, type Holder } from "./define.ts"
import { isOneInvestor } from "./investors.ts"

/** What a wallet has once everything in progress has landed, and then this change. */
const left = ({ balance, incoming, outgoing }: Holder, change: bigint): bigint => balance + incoming - outgoing + change

export const minimum = defineRule({
  code: "below_minimum",
  name: "Minimum balance",
  fields: {
    min_balance: {
      type: "amount",
      description: "Minimum balance of a wallet that holds the token, in whole tokens",
      example: "100",
      label: "Minimum balance",
      hint: "Refuses mints and transfers after which a wallet would hold less, but not nothing. Between two wallets of one investor it does not count.",
      summary: (least) => `Minimum ${grouped(least)} per wallet, or nothing.`,
      modes: AGENT_ONLY,
    },
  },
  needs: ["min_balance"],
  on: GIVING,
  checked: "request",
  isSetAside: true,
  readsClaims: false,
  remedy: "change_rules",
  check({ kind, from, to, amount, rules: { min_balance: least }, config }) {
    if (isOneInvestor(from, to)) return null
    const short = fromBaseUnits(least, config.decimals)
    if (left(to, amount) < least) return `amount: ${to.wallet} must hold ${short} at least.`
    const rest = kind === "transfer" ? left(from, -amount) : 0n
    // More than it has is another rule's.
    if (rest <= 0n || rest >= least) return null
    return `amount: ${from!.wallet} must keep ${short} at least, or nothing.`
  },
  passed: ({ from, to, amount, rules: { min_balance: least }, config: { decimals } }) =>
    isOneInvestor(from, to)
      ? "Both wallets are the same investor's."
      : `The wallet has ${fromBaseUnits(left(to, amount), decimals)} afterwards, of at least ${fromBaseUnits(least, decimals)}.`,
})
