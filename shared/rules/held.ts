import { fromBaseUnits } from "../amount.ts"
import { defineRule, TAKING } from "./define.ts"

/** How many holds a refusal names. */
const NAMED = 5

/** A movement takes from a hold only if it names it. */
export const held = defineRule({
  code: "amount_held",
  name: "Not held",
  fields: {},
  needs: [],
  on: TAKING,
  checked: "request",
  readsClaims: false,
  bindsRecovery: true,
  remedy: null,
  applies: ({ from, config }) => config.knowsBalances && from.held > 0n,
  check({ kind, from, amount, holds, config }) {
    const free = from.balance - from.outgoing - from.held
    const most = free + (holds?.named ?? 0n)
    if (most >= amount) return null
    const others = holds?.others ?? []
    const more = others.length > NAMED ? ` and ${others.length - NAMED} more` : ""
    const by = others.length > 0 ? ` The rest is held by ${others.slice(0, NAMED).join(", ")}${more}.` : ""
    const advice = kind === "transfer" ? "Release a hold" : "Name a hold in holds, release it"
    return `amount: ${from.wallet} can move ${fromBaseUnits(most, config.decimals)} at most.${by} ${advice}, or send less.`
  },
  passed: ({ from, config }) => `${fromBaseUnits(from.held, config.decimals)} of the wallet's tokens are held.`,
})
