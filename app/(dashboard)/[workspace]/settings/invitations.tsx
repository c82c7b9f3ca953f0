"use client"

import { useMemo } from "react"
import { useMutation } from "#app/(dashboard)/workspace.tsx"
import { Confirm } from "#app/components/confirm.tsx"
import { columnsOf, DataTable } from "#app/components/data-table.tsx"
import { Ago } from "#app/components/timestamp.tsx"
import { Button } from "#app/components/ui/button.tsx"
import type { Role } from "#shared/roles.ts"
import { roleNames } from "./roles.ts"

type Invitation = {
  id: string
  role: Role
  email: string | null
  invited_by: string | null
  expires_at: string
}

const column = columnsOf<Invitation>()

/** Links that nobody has used yet. */
export function Invitations({
  invitations,
  mayChange,
}: {
  invitations: readonly Invitation[]
  mayChange: boolean
}) {
  const columns = useMemo(
    () => [
      column.accessor("email", {
        header: "For",
        meta: { breaks: true },
        cell: ({ getValue }) => getValue() ?? <span className="text-muted">Anyone with the link</span>,
      }),
      column.accessor("role", {
        header: "Role",
        meta: { className: "whitespace-nowrap" },
        cell: ({ getValue }) => roleNames[getValue()].name,
      }),
      column.accessor("invited_by", {
        header: "Invited by",
        meta: { wideOnly: true },
        cell: ({ getValue }) => getValue() ?? "A former member",
      }),
      column.accessor("expires_at", {
        header: "Expires",
        meta: { wideOnly: true },
        cell: ({ getValue }) => <Ago at={getValue()} />,
      }),
      ...(mayChange
        ? [
            column.display({
              id: "actions",
              header: () => <span className="sr-only">Actions</span>,
              meta: { align: "end" },
              cell: ({ row: { original } }) => <Revoke invitation={original} />,
            }),
          ]
        : []),
    ],
    [mayChange],
  )
  return (
    <section aria-labelledby="invitations">
      <h2 id="invitations" className="mb-3 text-sm font-semibold">
        Invitations
      </h2>
      <DataTable
        caption="Invitations"
        columns={columns}
        list={{ data: { data: invitations } }}
        rowKey={({ id }) => id}
        empty={null}
      />
    </section>
  )
}

function Revoke({ invitation: { id, email, role } }: { invitation: Invitation }) {
  const revoke = useMutation((api) => api.member.revokeInvitation.mutate({ id }), {
    refresh: ["members"],
    quiet: true,
  })
  const whose = email ?? `a ${roleNames[role].name.toLowerCase()}`
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
