import { useMutation } from "#app/(dashboard)/workspace.tsx"
import { CodeBlock } from "#app/components/code.tsx"
import { actions, type Column, DataTable } from "#app/components/data-table.tsx"
import { Form, SelectField, TextField } from "#app/components/form.tsx"
import { Confirm, DialogSubmit } from "#app/components/form-dialog.tsx"
import { Ago } from "#app/components/timestamp.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Dialog, DialogFooter, DismissButton } from "#app/components/ui/dialog.tsx"
import { type Role, roles } from "#shared/roles.ts"

type Invitation = {
  id: string
  role: Role
  email: string | null
  invited_by: string | null
  expires_at: string
}

const columns: Column<Invitation>[] = [
  {
    header: "For",
    breaks: true,
    cell: ({ email }) => email ?? <span className="text-muted">Anyone with the link</span>,
  },
  { header: "Role", className: "whitespace-nowrap", cell: ({ role }) => roles[role].name },
  { header: "Invited by", wideOnly: true, cell: ({ invited_by }) => invited_by ?? "A former member" },
  { header: "Expires", wideOnly: true, cell: ({ expires_at }) => <Ago at={expires_at} /> },
]
const revocable = [...columns, actions<Invitation>((row) => <Revoke invitation={row} />)]

/** Invitations that were not accepted yet. */
export function Invitations({ invitations, mayChange }: { invitations: readonly Invitation[]; mayChange: boolean }) {
  return (
    <section aria-labelledby="invitations">
      <h2 id="invitations" className="mb-3 text-sm font-semibold">
        Invitations
      </h2>
      <DataTable
        caption="Invitations"
        columns={mayChange ? revocable : columns}
        list={{ data: { data: invitations } }}
        rowKey={({ id }) => id}
        empty={null}
      />
    </section>
  )
}

function Revoke({ invitation: { id, email, role } }: { invitation: Invitation }) {
  const revoke = useMutation((api) => api.member.revokeInvitation.mutate({ id }))
  const whose = email ?? `a ${roles[role].name.toLowerCase()}`
  return (
    <Confirm
      trigger={
        <Button size="sm" aria-label={`Revoke the invitation for ${whose}`}>
          Revoke
        </Button>
      }
      title="Revoke this invitation?"
      description="The link stops working at once. You can invite them again at any time."
      confirm="Revoke"
      onConfirm={() => revoke.mutateAsync()}
    />
  )
}

/** Invites a member: by mail if the server sends mail, otherwise with a link to pass on. */
export const Invite = () => (
  <Dialog trigger={<Button variant="primary">Invite member</Button>} title="Invite a member">
    <Invitation />
  </Dialog>
)

function Invitation() {
  const invite = useMutation((api, input: { role: Role; email?: string }) => api.member.invite.mutate(input))
  if (invite.data) return <Invited {...invite.data} />
  return (
    <Form
      onSubmit={(values) => {
        const email = String(values.get("email"))
        return invite.mutateAsync({ role: values.get("role") as Role, ...(email && { email }) })
      }}
    >
      <SelectField
        name="role"
        label="Role"
        defaultValue="developer"
        options={Object.entries(roles).map(
          ([role, { name, summary }]) =>
            [role, `${name}: ${summary.charAt(0).toLowerCase() + summary.slice(1)}`] as const,
        )}
      />
      <TextField
        name="email"
        label="Email (optional)"
        hint="With an address, only that person can use the link. Without one, anyone with the link can."
        type="email"
        autoComplete="off"
      />
      <DialogSubmit>Invite</DialogSubmit>
    </Form>
  )
}

function Invited({ link, sent_to }: { link: string | null; sent_to: string | null }) {
  return (
    <div className="space-y-4">
      {link === null ? (
        <p role="status">
          We sent a link to <span className="font-medium">{sent_to}</span>. It works once, for seven days.
        </p>
      ) : (
        <>
          <p role="status">Send this link to the person. It works once, for seven days, and is shown only now.</p>
          <CodeBlock label="Link" code={link} />
        </>
      )}
      <DialogFooter>
        <DismissButton variant="primary">Done</DismissButton>
      </DialogFooter>
    </div>
  )
}
