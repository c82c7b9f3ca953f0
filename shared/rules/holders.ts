import { grouped } from "../amount.ts"
import { AGENT_ONLY, defineRule, GIVING, type Holder } from "./define.ts"

/**
 * Whether `from` transfers everything, so that its holder slot goes to the new holder. Not while other operations of it
 * are in progress: if one failed, it would hold tokens without a holder slot.
 */
export const leaves = (from: Holder | null, amount: bigint): boolean =>
  from?.hasSlot === true && from.balance === amount && from.outgoing === 0n && from.incoming === 0n

export const holders = defineRule({
  code: "holder_limit_reached",
  name: "Holders",
  fields: {
    max_holders: {
      type: "count",
      min: 1,
      max: 1_000_000_000,
      description: "Maximum number of holders",
      example: 2000,
      label: "Maximum holders",
      hint: "Refuses new holders above it. A holder who transfers their whole balance makes room for another.",
      summary: (cap) => `Maximum ${grouped(String(cap))} holders.`,
      modes: AGENT_ONLY,
    },
  },
  needs: ["max_holders"],
  on: GIVING,
  checked: "request",
  readsClaims: false,
  remedy: "change_rules",
  check({ from, to, amount, rules: { max_holders: cap }, config }) {
    if (to.hasSlot || config.holders < cap || leaves(from, amount)) return null
    return `The token has reached its maximum of ${cap} holders.`
  },
  passed: ({ to, rules, config }) =>
    to.hasSlot ? "The wallet already holds this token." : `${config.holders} of ${rules.max_holders} holders.`,
})
