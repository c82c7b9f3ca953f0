import { useState } from "react"
import { neededApprovals } from "#app/(dashboard)/[workspace]/approvals/needed.ts"
import { ExportCsv } from "#app/(dashboard)/exports.tsx"
import { type RouterOutputs, To, useMutation, useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Badge } from "#app/components/badge.tsx"
import { actions, type Column, DataTable } from "#app/components/data-table.tsx"
import { Confirm } from "#app/components/form-dialog.tsx"
import { Empty } from "#app/components/frame.tsx"
import { notify } from "#app/components/toast.ts"
import { Button } from "#app/components/ui/button.tsx"
import { MenuItem } from "#app/components/ui/menu.tsx"
import { MoreMenu } from "#app/components/ui/more-menu.tsx"
import { grouped } from "#shared/amount.ts"
import { approvalActions } from "#shared/approvals.ts"
import { waitOf } from "#shared/counts.ts"
import { isMovementKind } from "#shared/movements.ts"
import { type Policy, PolicyForm } from "./policy-form.tsx"

type Overview = RouterOutputs["approvalPolicy"]["overview"]
type Listed = Policy | Overview["defaults"][number]

/** What a change that waits shows, in place of a silent success. */
function noteSaved({ status }: { status: Policy["status"] }, done: string): void {
  notify(status === "awaiting_approval" ? "Another member must approve this change" : done)
}

/** What no member can do alone. Owners and developers change it, all others read. */
export function ApprovalPolicies() {
  const { can } = useWorkspace()
  const mayChange = can("config:write")
  const [editing, setEditing] = useState<Policy | "new" | null>(null)
  const overview = useQuery("approvalPolicy.overview", {})
  const created = overview.data?.waiting.filter(({ is_new }) => is_new) ?? []
  const columns: Column<Listed>[] = [
    {
      header: "What needs approval",
      breaks: true,
      cell: (row) => (
        <>
          <span className="block font-medium">{row.actions.map((action) => nameOf(action, row)).join(", ")}</span>
          {(row.mint_config !== null || row.actions.some(isMovementKind)) && (
            <span className="block text-[13px] font-normal text-muted">{scopeOf(row)}</span>
          )}
          <Waiting of={row} overview={overview.data} />
        </>
      ),
    },
    { header: "Approvals", breaks: true, cell: (row) => neededApprovals(row.approvals, row.roles) },
    {
      header: "Expires after",
      phone: "none",
      className: "whitespace-nowrap",
      cell: ({ expires_in_hours }) => waitOf(expires_in_hours),
    },
    {
      ...actions<Listed>((row) =>
        row.policy_id === null ? (
          <Badge>Default</Badge>
        ) : (
          mayChange && <PolicyMenu policy={row} onChange={() => setEditing(row)} />
        ),
      ),
      phone: ({ policy_id }) => (policy_id === null ? "value" : "menu"),
    },
  ]
  return (
    <section aria-labelledby="policies">
      <header className="mb-3 flex flex-wrap items-end justify-between gap-3">
        <div className="max-w-2xl">
          <h2 id="policies" className="text-sm font-semibold">
            Approval policies
          </h2>
          <p className="mt-0.5 text-[13px] text-muted">
            What one member or API key cannot do alone. A stricter policy takes effect at once; a looser one needs
            another member’s approval. Defaults apply to requests that no policy of yours covers.
            {!mayChange && " Owners and developers change policies."}
          </p>
        </div>
        <div className="flex flex-wrap items-center gap-2 max-md:[&>.bg-accent]:-order-1">
          <ExportCsv list="policies" asked={{}} />
          {mayChange && (
            <Button variant="primary" onClick={() => setEditing("new")}>
              Add policy
            </Button>
          )}
        </div>
      </header>
      {created.map(({ approval_id }) => (
        <p key={approval_id} className="mb-3 rounded-lg bg-notice-soft px-3 py-2.5 text-sm text-notice">
          A new policy waits for another member’s approval.{" "}
          <To path={["approvals", approval_id]} className="underline underline-offset-2">
            Open the request
          </To>
        </p>
      ))}
      <DataTable
        caption="Approval policies"
        columns={columns}
        list={{ ...overview, data: overview.data && { data: [...overview.data.policies, ...overview.data.defaults] } }}
        rowKey={({ policy_id, actions: [first] }) => policy_id ?? first!}
        empty={<Empty title="No policies" />}
      />
      {editing !== null && (
        <PolicyForm of={editing === "new" ? null : editing} onClose={() => setEditing(null)} onSaved={noteSaved} />
      )}
    </section>
  )
}

/** Without a policy, only redemptions that their holder did not agree to need approval. */
const nameOf = (action: Listed["actions"][number], { policy_id }: Listed): string =>
  policy_id === null && action === "burn" ? "Redeem without the holder’s consent" : approvalActions[action]

const scopeOf = ({ actions, mint_config, min_amount }: Listed): string => {
  const isAboutLists = actions.length === 1 && actions[0] === "attestation_revoke_bulk"
  if (isAboutLists && min_amount !== null) return `${grouped(min_amount)} verifications or more`
  return [
    mint_config === null ? "Every token" : mint_config,
    min_amount === null ? "every amount" : `${grouped(min_amount)} or more`,
  ].join(", ")
}

/** That a change of this policy waits for another member. */
function Waiting({ of: { policy_id }, overview }: { of: Listed; overview: Overview | undefined }) {
  return overview?.waiting
    .filter((one) => one.policy_id === policy_id && !one.is_new)
    .map(({ approval_id, deletes }) => (
      <span key={approval_id} className="block text-[13px] text-notice">
        {deletes ? "Its deletion" : "A change"} waits for another member’s approval.{" "}
        <To path={["approvals", approval_id]} className="underline underline-offset-2">
          Open the request
        </To>
      </span>
    ))
}

function PolicyMenu({ policy, onChange }: { policy: Policy; onChange: () => void }) {
  const [isDeleting, setDeleting] = useState(false)
  const remove = useMutation((api) => api.approvalPolicy.remove.mutate({ id: policy.policy_id }))
  const name = policy.actions.map((action) => approvalActions[action]).join(", ")
  return (
    <>
      <MoreMenu size="icon-sm" label={`Change the policy for ${name}`}>
        <MenuItem onSelect={onChange}>Edit</MenuItem>
        <MenuItem danger onSelect={() => setDeleting(true)}>
          Delete
        </MenuItem>
      </MoreMenu>
      {isDeleting && (
        <Confirm
          onClose={() => setDeleting(false)}
          title="Delete this policy?"
          description="Another member must approve this. The policy stays in force until then."
          confirm="Delete"
          onConfirm={async () => noteSaved(await remove.mutateAsync(), "Policy deleted")}
        />
      )}
    </>
  )
}
