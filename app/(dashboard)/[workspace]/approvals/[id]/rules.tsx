import { textOf } from "#app/(dashboard)/[workspace]/tokens/finding-words.ts"
import { overridden, RuleFindings } from "#app/(dashboard)/[workspace]/tokens/rule-finding.tsx"
import { useOwners } from "#app/(dashboard)/[workspace]/tokens/use-owners.ts"
import { useSchemas } from "#app/(dashboard)/schema-name.tsx"
import type { RuleCode } from "#shared/rules/rules.ts"
import type { ApprovalDetail as Approval } from "../summary.ts"

/** These are about the balances that the request shows. */
const balanceLimits = ["balance_limit_exceeded", "investor_balance_limit_exceeded"] satisfies RuleCode[]

type RulesProps = { request: Approval["request"]; preflight: NonNullable<Approval["preflight"]> }

/** What the token's rules say of the request now. */
export function Rules({ request, preflight: { answer, rules, required_schema } }: RulesProps) {
  const people = useOwners([request.user_pubkey, request.from_pubkey, request.to_pubkey].map(String))
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
