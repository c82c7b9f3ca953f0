import { useQueryClient } from "@tanstack/react-query"
import { lazy, Suspense, useState } from "react"
import { ExportCsv } from "#app/(dashboard)/exports.tsx"
import { useFormInAddress } from "#app/(dashboard)/use-form-in-address.ts"
import { type RouterOutputs, useMe, useMutation, useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Badge } from "#app/components/badge.tsx"
import { CodeBlock } from "#app/components/code.tsx"
import { actions, type Column, DataTable } from "#app/components/data-table.tsx"
import { FieldGroup, Form, TextField } from "#app/components/form.tsx"
import { Confirm, DialogSubmit } from "#app/components/form-dialog.tsx"
import { Empty } from "#app/components/frame.tsx"
import { Ago, Timestamp } from "#app/components/timestamp.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Dialog, DialogFooter, DismissButton } from "#app/components/ui/dialog.tsx"
import { MenuItem, MenuSeparator } from "#app/components/ui/menu.tsx"
import { MenuChoices } from "#app/components/ui/menu-choices.tsx"
import { MoreMenu } from "#app/components/ui/more-menu.tsx"
import { RadioCard } from "#app/components/ui/radio-card.tsx"
import { type Role, roles } from "#shared/roles.ts"
import type { Less } from "./known-keys.tsx"

// Loaded when a member who knows keys leaves.
const KnownKeys = lazy(async () => ({ default: (await import("./known-keys.tsx")).KnownKeys }))

type Member = RouterOutputs["member"]["list"]["members"][number]

/** The account's members and invitations. Owners change them, all others read. */
export function Members() {
  const { account, can } = useWorkspace()
  const { data: me } = useMe()
  const mayChange = can("member:write")
  // The member who was just removed or demoted, with the keys they know. Kept after their row is gone.
  const [less, setLess] = useState<Less | null>(null)
  const list = useQuery("member.list")
  const columns: Column<Member>[] = [
    {
      header: "Name",
      breaks: true,
      cell: (row) => (
        <>
          <span className="font-medium">{row.name}</span>
          {row.user_id === me?.user.id && <span className="text-muted"> (you)</span>}
        </>
      ),
    },
    {
      header: "Email",
      breaks: true,
      cell: (row) => (
        <>
          {row.email}
          {row.email_confirmed === false && <span className="block text-[13px] text-notice">Not confirmed</span>}
        </>
      ),
    },
    {
      header: "Role",
      phone: "value",
      className: "whitespace-nowrap",
      cell: (row) => (
        <>
          {roles[row.role].name}
          {row.admission !== null && <Admission member={row} />}
        </>
      ),
    },
    {
      header: "Second factor",
      phone: "labelled",
      cell: ({ second_factor }) =>
        second_factor ? <Badge tone="good">On</Badge> : <span className="text-muted">Off</span>,
    },
    { header: "Joined", phone: "none", cell: ({ joined_at }) => <Timestamp at={joined_at} /> },
    ...(mayChange
      ? [
          actions<Member>((row) => (
            <MemberMenu
              member={row}
              isYou={row.user_id === me?.user.id}
              onLess={(leftovers) => setLess({ member: row, ...leftovers })}
            />
          )),
        ]
      : []),
  ]
  return (
    <div className="space-y-6">
      <section aria-labelledby="members">
        <header className="mb-3 flex flex-wrap items-end justify-between gap-3">
          <div>
            <h2 id="members" className="text-sm font-semibold">
              Members of {account}
            </h2>
            <p className="mt-0.5 text-[13px] text-muted">
              {mayChange
                ? "Members see the live and the test workspace."
                : "Members see the live and the test workspace. Owners invite and remove members."}
            </p>
          </div>
          <div className="flex flex-wrap items-center gap-2 max-md:[&>.bg-accent]:-order-1">
            <ExportCsv list="members" asked={{}} />
            {mayChange && <Invite />}
          </div>
        </header>
        <DataTable
          caption="Members"
          columns={columns}
          list={{ ...list, data: list.data && { data: list.data.members } }}
          rowKey={({ user_id }) => user_id}
          empty={<Empty title="No members" />}
        />
      </section>
      {list.data && list.data.invitations.length > 0 && (
        <Invitations invitations={list.data.invitations} mayChange={mayChange} />
      )}
      {less && (
        <Suspense>
          <KnownKeys {...less} onClose={() => setLess(null)} />
        </Suspense>
      )}
    </div>
  )
}

/** A reviewer who joined while a policy is about reviews may decide once another reviewer has confirmed them. */
function Admission({ member: { user_id, name, admission } }: { member: Member }) {
  const admit = useMutation((api) => api.member.admit.mutate({ user_id }))
  return (
    <span className="block text-[13px] text-notice">
      {admission === "yours" ? (
        <Confirm
          trigger={
            <Button size="sm" aria-label={`Confirm ${name} as a reviewer`}>
              Confirm
            </Button>
          }
          title={`Confirm ${name} as a reviewer?`}
          description="They joined while a policy required several members to decide a review. Once you confirm them, they can decide reviews, even together with the owner who invited them. Make sure that the two are not the same person."
          confirm="Confirm"
          onConfirm={async () => void (await admit.mutateAsync())}
        />
      ) : (
        "Waits for another reviewer"
      )}
    </span>
  )
}

type MemberMenuProps = {
  member: Member
  isYou: boolean
  /** Called when a member lost rights and knows keys that still work. */
  onLess: (leftovers: Pick<Less, "keys" | "invitations_ended">) => void
}

function MemberMenu({ member, isYou, onLess }: MemberMenuProps) {
  const [isRemoving, setRemoving] = useState(false)
  const { account } = useWorkspace()
  const client = useQueryClient()
  const changeRole = useMutation((api, role: Role) => api.member.changeRole.mutate({ user_id: member.user_id, role }))
  const remove = useMutation((api) => api.member.remove.mutate({ user_id: member.user_id }), { refresh: !isYou })
  return (
    <>
      <MoreMenu size="icon-sm" label={`Change ${member.name}`} className="w-72">
        <MenuChoices
          label="Role"
          value={member.role}
          onChange={(role) => {
            if (role === member.role) return
            changeRole.mutate(role as Role, (leftovers) => {
              // After giving up a role, reload so that the page shows only what the new one allows.
              if (isYou) void client.invalidateQueries({ queryKey: ["me"] })
              else if (leftovers.keys.length > 0) onLess(leftovers)
            })
          }}
          options={Object.entries(roles).map(
            ([role, { name, summary }]) =>
              [
                role,
                <>
                  {name}
                  <span className="block text-[13px] text-muted">{summary}</span>
                </>,
              ] as const,
          )}
        />
        <MenuSeparator />
        <MenuItem danger onSelect={() => setRemoving(true)}>
          {isYou ? "Leave account" : "Remove"}
        </MenuItem>
      </MoreMenu>
      {isRemoving && (
        <Confirm
          onClose={() => setRemoving(false)}
          title={isYou ? `Leave ${account}?` : `Remove ${member.name}?`}
          description={
            isYou
              ? "You lose access at once. Another owner can invite you again."
              : "They lose access at once, and their invitation links stop working. API keys they know keep working until you revoke them in the next step."
          }
          confirm={isYou ? "Leave" : "Remove"}
          onConfirm={async () => {
            const leftovers = await remove.mutateAsync()
            // Leaving the page discards everything that was read.
            if (isYou) window.location.assign("/")
            else if (leftovers.keys.length > 0) onLess(leftovers)
          }}
        />
      )}
    </>
  )
}

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
  { header: "Role", phone: "value", className: "whitespace-nowrap", cell: ({ role }) => roles[role].name },
  { header: "Invited by", phone: "labelled", cell: ({ invited_by }) => invited_by ?? "A former member" },
  { header: "Expires", phone: "labelled", cell: ({ expires_at }) => <Ago at={expires_at} /> },
]
const revocable = [...columns, actions<Invitation>((row) => <Revoke invitation={row} />, "buttons")]

const Invitations = ({ invitations, mayChange }: { invitations: readonly Invitation[]; mayChange: boolean }) => (
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
function Invite() {
  const { isOpen: opens, setOpen } = useFormInAddress("invite")
  return (
    <Dialog
      trigger={<Button variant="primary">Invite member</Button>}
      title="Invite a member"
      opens={opens}
      {...(opens && { onClose: () => setOpen(false) })}
    >
      <Invitation />
    </Dialog>
  )
}

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
      <TextField
        name="email"
        label="Email (optional)"
        hint="With an address, only that person can use the link. Without one, anyone with the link can."
        type="email"
        autoComplete="off"
      />
      <FieldGroup legend="Role" name="role">
        <div className="space-y-2">
          {Object.entries(roles).map(([role, { name, summary }]) => (
            <RadioCard key={role} name="role" value={role} title={name} defaultChecked={role === "developer"}>
              <span className="block text-[13px] text-muted">{summary}</span>
            </RadioCard>
          ))}
        </div>
      </FieldGroup>
      <DialogSubmit>Invite</DialogSubmit>
    </Form>
  )
}

const Invited = ({ link, sent_to }: { link: string | null; sent_to: string | null }) => (
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
