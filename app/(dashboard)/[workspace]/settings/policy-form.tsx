import { useState } from "react"
import { type RouterOutputs, useMutation, useQuery } from "#app/(dashboard)/workspace.tsx"
import { FieldGroup, SelectField, TextField } from "#app/components/form.tsx"
import { FormDialog } from "#app/components/form-dialog.tsx"
import { Checkbox } from "#app/components/ui/input.tsx"
import {
  type ApprovalAction,
  allApprovalActions,
  amountActions,
  approvalActions,
  approverRoles,
  MOST_APPROVALS,
  MOST_HOURS,
  tokenActions,
} from "#shared/approvals.ts"
import { countOf } from "#shared/counts.ts"
import { roles } from "#shared/roles.ts"

export type Policy = RouterOutputs["approvalPolicy"]["overview"]["policies"][number]
type Fields = Pick<Policy, "actions" | "mint_config" | "min_amount" | "approvals" | "roles" | "expires_in_hours">

const NEW: Fields = {
  ...{ actions: [], mint_config: null, min_amount: null, approvals: 1, roles: [...approverRoles] },
  expires_in_hours: 72,
}

const groups = ["Tokens", "Holds and wallets", "People", "Workspace"] as const

const groupOf: Record<ApprovalAction, (typeof groups)[number]> = {
  mint: "Tokens",
  transfer: "Tokens",
  burn: "Tokens",
  force_transfer: "Tokens",
  distribution: "Tokens",
  while_paused: "Tokens",
  lot_backdate: "Tokens",
  unpause: "Tokens",
  config_change: "Tokens",
  hold_release: "Holds and wallets",
  hold_execute: "Holds and wallets",
  unfreeze: "Holds and wallets",
  recovery: "Holds and wallets",
  review_decision: "People",
  session_cancel: "People",
  attestation_revoke: "People",
  attestation_revoke_bulk: "People",
  erase: "People",
  key_create: "Workspace",
  policy_change: "Workspace",
}

type PolicyFormProps = {
  /** Null for a new one. */
  of: Policy | null
  onClose: () => void
  onSaved: (saved: Policy, done: string) => void
}

export function PolicyForm({ of, onClose, onSaved }: PolicyFormProps) {
  const tokens = useQuery("mintConfig.list", {})
  const before: Fields = of ?? NEW
  const [chosen, setChosen] = useState<ReadonlySet<ApprovalAction>>(new Set(before.actions))
  const save = useMutation((api, fields: Fields) =>
    of === null
      ? api.approvalPolicy.create.mutate(fields)
      : api.approvalPolicy.change.mutate({ id: of.policy_id, ...fields }),
  )
  // A token that was loaded late or is no longer listed stays selectable.
  const known = new Set([
    ...(tokens.data?.data ?? []).map(({ id }) => id),
    ...(before.mint_config === null ? [] : [before.mint_config]),
  ])
  return (
    <FormDialog
      onClose={onClose}
      title={of === null ? "Add an approval policy" : "Change the approval policy"}
      description={
        of === null
          ? "From now on, other members must approve what it names."
          : "A stricter policy takes effect at once. If it lets more through, another member must approve the change. Requests that wait under it become void."
      }
      submit={of === null ? "Add policy" : "Save"}
      isPinned
      check={(values) => ({
        ...(values.getAll("actions").length === 0 && { actions: "Select at least one." }),
        ...(values.getAll("roles").length === 0 && { roles: "Select at least one." }),
      })}
      onSubmit={async (values) => {
        const text = (name: string) => String(values.get(name) ?? "").trim()
        const saved = await save.mutateAsync({
          actions: allApprovalActions.filter((action) => values.getAll("actions").includes(action)),
          mint_config: text("mint_config") || null,
          min_amount: text("min_amount").replaceAll(",", "") || null,
          approvals: Number(text("approvals")),
          roles: approverRoles.filter((role) => values.getAll("roles").includes(role)),
          expires_in_hours: Number(text("expires_in_hours")),
        })
        onSaved(saved, of === null ? "Policy added" : "Policy saved")
      }}
    >
      <FieldGroup legend="What needs approval" name="actions">
        <div className="space-y-4">
          {groups.map((group) => (
            <fieldset key={group} className="min-w-0">
              <legend className="mb-1 text-xs text-muted">{group}</legend>
              <div className="grid gap-x-4 sm:grid-cols-2">
                {allApprovalActions
                  .filter((action) => groupOf[action] === group)
                  .map((action) => (
                    <Checkbox
                      key={action}
                      name="actions"
                      value={action}
                      checked={chosen.has(action)}
                      onChange={({ target }) =>
                        setChosen((before) => {
                          const after = new Set(before)
                          if (target.checked) after.add(action)
                          else after.delete(action)
                          return after
                        })
                      }
                    >
                      {approvalActions[action]}
                    </Checkbox>
                  ))}
              </div>
            </fieldset>
          ))}
        </div>
      </FieldGroup>
      {tokenActions.some((action) => chosen.has(action)) && (
        <SelectField
          key={tokens.data ? "loaded" : "loading"}
          name="mint_config"
          label="Token"
          hint={
            [...chosen].every((action) => tokenActions.includes(action))
              ? undefined
              : "A policy about one token cannot include actions that are not about a token."
          }
          defaultValue={before.mint_config ?? ""}
          options={[["", "Every token"], ...[...known].map((id) => [id, id] as const)]}
        />
      )}
      {amountActions.some((action) => chosen.has(action)) ? (
        <MinimumField
          label="Minimum amount (optional)"
          hint="In whole tokens. Smaller amounts need no approval."
          defaultValue={before.min_amount ?? ""}
        />
      ) : (
        chosen.size === 1 &&
        chosen.has("attestation_revoke_bulk") && (
          <MinimumField
            label="Minimum number of verifications (optional)"
            hint="Fewer need no approval."
            defaultValue={before.min_amount ?? ""}
          />
        )
      )}
      <SelectField
        name="approvals"
        label="Approvals"
        hint="How many members must approve, besides the one who requests it."
        defaultValue={before.approvals}
        options={Array.from({ length: MOST_APPROVALS }, (_, n) => [n + 1, countOf(n + 1, "member")] as const)}
      />
      <FieldGroup legend="Whose approval counts" name="roles">
        {approverRoles.map((role) => (
          <Checkbox key={role} name="roles" value={role} defaultChecked={before.roles.includes(role)}>
            {roles[role].name}
          </Checkbox>
        ))}
      </FieldGroup>
      <TextField
        name="expires_in_hours"
        label="Hours that a request waits"
        hint={`Then it expires. At most ${MOST_HOURS}, which is two weeks.`}
        type="number"
        inputMode="numeric"
        required
        min={1}
        max={MOST_HOURS}
        defaultValue={before.expires_in_hours}
      />
    </FormDialog>
  )
}

const MinimumField = (props: { label: string; hint: string; defaultValue: string }) => (
  <TextField name="min_amount" inputMode="decimal" autoComplete="off" {...props} />
)
