import { textOf } from "#app/(dashboard)/[workspace]/tokens/finding-words.ts"
import { overridden, RuleFindings } from "#app/(dashboard)/[workspace]/tokens/rule-finding.tsx"
import { useOwners } from "#app/(dashboard)/[workspace]/tokens/use-owners.ts"
import { useSchemas } from "#app/(dashboard)/schema-name.tsx"
import { NewTab } from "#app/components/link.tsx"
import type { RuleCode } from "#shared/rules/rules.ts"
import type { ApprovalDetail as Approval } from "../summary.ts"

/** These are about the balances that the request shows. */
const balanceLimits = ["balance_limit_exceeded", "investor_balance_limit_exceeded"] satisfies RuleCode[]

const walletsIn = ({ user_pubkey, from_pubkey, to_pubkey }: Approval["request"]) =>
  [user_pubkey, from_pubkey, to_pubkey].map(String)

type RefusalProps = { request: Approval["request"]; error: string; detail: string }

/** Why a request was refused once it was approved, in words for members, with the code for developers. */
export function Refusal({ request, error, detail }: RefusalProps) {
  const people = useOwners(walletsIn(request))
  return (
    <>
      {textOf(detail, people, useSchemas())}{" "}
      <NewTab href={`/docs/errors/${error}`} className="font-mono text-[13px] underline underline-offset-2">
        {error}
      </NewTab>
    </>
  )
}

type RulesProps = { request: Approval["request"]; preflight: NonNullable<Approval["preflight"]> }

/** What the token's rules say of the request now. */
export function Rules({ request, preflight: { answer, rules, required_schema } }: RulesProps) {
  const people = useOwners(walletsIn(request))
  const schemas = useSchemas()
  const overrides = overridden(rules)
  const allowed = overrides === null ? "All rules pass now." : `Allowed now. It overrides ${overrides}.`
  return (
    <>
      <p className={answer.error === null ? "text-accent" : "text-danger"} role="status">
        {answer.error === null ? allowed : `It would be refused now. ${textOf(answer.detail!, people, schemas)}`}
      </p>
      {rules.length > 0 && (
        <div className="mt-3 rounded-lg border border-line">
          <RuleFindings of={rules} people={people} schema={required_schema} inView={balanceLimits} />
        </div>
      )}
    </>
  )
}
