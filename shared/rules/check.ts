import type { Rule, TransferContext } from "./define.ts"
import { allRules, type RuleCode } from "./rules.ts"

/** The first rule that a request does not meet, and what is wrong. */
type Violation = { code: RuleCode; detail: string }

const appliesTo = ({ on, needs, applies }: Rule, context: TransferContext): boolean =>
  (on === "both" || (on === "mint") === (context.from === null)) &&
  needs.every((name) => context.rules[name] !== undefined) &&
  (applies?.(context) ?? true)

const firstOf = (moments: readonly Rule["checked"][]) => {
  const due = allRules.filter((rule) => moments.includes(rule.checked))
  return (context: TransferContext): Violation | null => {
    for (const rule of due) {
      const detail = appliesTo(rule, context) ? rule.check(context) : null
      if (detail !== null) return { code: rule.code, detail }
    }
    return null
  }
}

/** Of a request, in the order that the contract promises. */
export const firstViolation = firstOf(["wallet", "signing", "request"])

/** Of what was accepted and is about to be signed: its reservations hold, its wallets may have changed. */
export const firstViolationAtSigning = firstOf(["wallet", "signing"])

/** Of a wallet that would hold by itself: what binds on chain in holder mode. */
export const firstViolationOfHolding = firstOf(["wallet"])

/** What a rule says of a request. `undecided`: it asks for claims, and the wallet is not verified. */
export type Finding = { code: RuleCode; outcome: "passed" | "refused" | "undecided"; detail: string }

/** What every rule that applies says of a request, in the same order. */
export const findings = (context: TransferContext): Finding[] =>
  allRules.filter((rule) => appliesTo(rule, context)).map((rule) => findingOf(rule, context))

function findingOf(rule: Rule<RuleCode>, context: TransferContext): Finding {
  const { code, readsClaims } = rule
  const detail = rule.check(context)
  if (detail === null) return { code, outcome: "passed", detail: rule.passed(context) }
  const isUntold = context.to.claims === null || context.from?.claims === null
  return readsClaims && isUntold
    ? { code, outcome: "undecided", detail: "Checked once the wallet is verified." }
    : { code, outcome: "refused", detail }
}
