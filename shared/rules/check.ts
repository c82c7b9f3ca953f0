import { isForced } from "../movements.ts"
import { boundBy, type Rule, type TransferContext } from "./define.ts"
import { allRules, type RuleCode } from "./rules.ts"

/** The first rule that a request violates, and how. */
type Violation = { code: RuleCode; detail: string }

const appliesTo = ({ on, needs, applies, bindsRecovery }: Rule, context: TransferContext): boolean =>
  on.includes(context.kind) &&
  (bindsRecovery || !context.isRecovery) &&
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

/** The first violation of a request, in the order of the contract. */
export const firstViolation = firstOf(["wallet", "signing", "request"])

/** The first violation before signing. Reservations still hold, but the wallets may have changed. */
export const firstViolationAtSigning = firstOf(["wallet", "signing"])

/** The first violation of a wallet that holds tokens: the rules that bind on chain in holder mode. */
export const firstViolationOfHolding = firstOf(["wallet"])

/** The rules that a forced act sets aside: those that the same tokens could not be transferred with. */
export const overridden = (context: TransferContext): RuleCode[] =>
  allRules.filter((rule) => overriddenBy(rule, context) !== null).map(({ code }) => code)

/** Why a transfer of the same tokens would violate the rule, if a forced act need not meet it. Otherwise null. */
function overriddenBy(rule: Rule<RuleCode>, context: TransferContext): string | null {
  const { kind, from, to } = context
  if (!isForced(kind) || from === null || isViolated(rule, context)) return null
  // Other rules that count bind a forced act, too, or say nothing about it.
  if (rule.checked === "request" && !rule.isSetAside) return null
  const ends = { kind: "transfer", from, to: to ?? from } as const
  const transfer: TransferContext = { ...context, ...ends, whilePaused: false, isOverridden: true }
  if (!isViolated(rule, transfer)) return null
  return rule.readsClaims && from.claims === null ? "Unknown while the wallet is not verified." : rule.check(transfer)
}

const isViolated = (rule: Rule<RuleCode>, context: TransferContext): boolean =>
  appliesTo(rule, context) && rule.check(context) !== null

/**
 * A rule's result for a request. `undecided`: the rule needs claims, and the wallet is not verified. `overridden`: it
 * would refuse a transfer, and a forced act sets it aside.
 */
export type Finding = { code: RuleCode; outcome: "passed" | "refused" | "undecided" | "overridden"; detail: string }

/** The results of all rules that apply to a request or that it sets aside, in the same order. */
export const findings = (context: TransferContext): Finding[] =>
  allRules.flatMap((rule): Finding[] => {
    const setAside = overriddenBy(rule, context)
    if (setAside !== null) return [{ code: rule.code, outcome: "overridden", detail: setAside }]
    return appliesTo(rule, context) ? [findingOf(rule, context)] : []
  })

function findingOf(rule: Rule<RuleCode>, context: TransferContext): Finding {
  const { code, readsClaims } = rule
  const detail = rule.check(context)
  if (detail === null) return { code, outcome: "passed", detail: rule.passed(context) }
  const isUnverified = boundBy(context).some(({ claims }) => claims === null)
  return readsClaims && isUnverified
    ? { code, outcome: "undecided", detail: "Checked once the wallet is verified." }
    : { code, outcome: "refused", detail }
}
