import { type RouterOutputs, useQuery } from "#app/(dashboard)/workspace.tsx"
import { Facts } from "#app/components/frame.tsx"
import { grouped } from "#shared/amount.ts"
import { type ApprovalAction, type ApproverRole, approvalActions } from "#shared/approvals.ts"
import { countOf, waitOf } from "#shared/counts.ts"
import { roles } from "#shared/roles.ts"
import type { ApprovalDetail } from "../summary.ts"

type Policy = RouterOutputs["approvalPolicy"]["overview"]["policies"][number]

/** Each field of a policy with its label and its value in words. */
const fields: { [Field in keyof Policy]?: [label: string, word: (value: Policy[Field]) => string] } = {
  actions: [
    "What needs approval",
    (actions: ApprovalAction[]) => actions.map((one) => approvalActions[one]).join(", "),
  ],
  mint_config: ["Token", (id) => id ?? "Every token"],
  min_amount: ["Minimum amount", (amount) => (amount === null ? "Every amount" : grouped(amount))],
  approvals: ["Approvals", (count) => countOf(count, "member")],
  roles: ["Whose approval counts", (some: ApproverRole[]) => some.map((role) => roles[role].name).join(" or ")],
  expires_in_hours: ["Expires after", waitOf],
}

const isChanged = (now: Policy, wanted: Partial<Policy>, field: keyof Policy): boolean =>
  field in wanted && JSON.stringify(now[field]) !== JSON.stringify(wanted[field])

/** What would change of a policy: each field as it is now and as it was requested. */
export function PolicyChange({ approval: { request, subject } }: { approval: ApprovalDetail }) {
  const { data } = useQuery("approvalPolicy.overview", {})
  const now = data?.policies.find(({ policy_id }) => policy_id === subject)
  const isDeletion = request.change === null
  const wanted = (request.create ?? request.change ?? {}) as Partial<Policy>
  const after: Partial<Policy> = { ...now, ...wanted }
  const changed = (Object.keys(fields) as (keyof Policy)[]).filter(
    (field) => field in after && (field === "actions" || !now || isDeletion || isChanged(now, wanted, field)),
  )
  return (
    <>
      {isDeletion && <p className="mb-3">The policy would be deleted.</p>}
      <Facts
        facts={Object.fromEntries(
          changed.map((field) => {
            const [label, word] = fields[field] as [string, (value: unknown) => string]
            return [
              label,
              now && isChanged(now, wanted, field) ? (
                <>
                  <span className="text-muted">{word(now[field])}</span> <span aria-hidden="true">→</span>
                  <span className="sr-only">would become</span> <strong>{word(wanted[field])}</strong>
                </>
              ) : (
                word(after[field])
              ),
            ]
          }),
        )}
      />
    </>
  )
}
