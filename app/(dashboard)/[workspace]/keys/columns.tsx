"use client"

import { Ellipsis, OctagonX, RefreshCw } from "lucide-react"
import type { RouterOutputs } from "#app/api.ts"
import { type Column, columnsOf } from "#app/components/data-table.tsx"
import { Ago } from "#app/components/timestamp.tsx"
import { StatusBadge } from "#app/components/ui/badge.tsx"
import { Button } from "#app/components/ui/button.tsx"
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuTrigger,
} from "#app/components/ui/dropdown-menu.tsx"
import { allScopes } from "#shared/scopes.ts"

export type Key = RouterOutputs["key"]["list"]["data"][number]

const column = columnsOf<Key>()

const facts: Column<Key>[] = [
  column.display({
    id: "name",
    header: "Name",
    cell: ({ row: { original } }) => (
      <>
        <span className="block min-w-32 font-medium">{original.name}</span>
        <code className="font-mono text-xs whitespace-nowrap text-muted">{original.start}…</code>
      </>
    ),
  }),
  column.accessor("status", {
    header: "Status",
    cell: ({ getValue }) => <StatusBadge status={getValue()} />,
  }),
  column.accessor("scopes", {
    header: "Scopes",
    cell: ({ getValue }) => <Scopes scopes={getValue()} />,
  }),
  column.accessor("last_used_at", {
    header: "Last used",
    cell: ({ getValue }) => <TimeOr at={getValue()} otherwise="Never" />,
  }),
  column.accessor("expires_at", {
    header: "Expires",
    cell: ({ getValue }) => <TimeOr at={getValue()} otherwise="Never" />,
  }),
  column.display({
    id: "created",
    header: "Created",
    cell: ({ row: { original } }) => (
      <>
        <span className="block whitespace-nowrap">
          <Ago at={original.created_at} />
        </span>
        {original.created_by && <span className="text-xs text-muted">by {original.created_by}</span>}
        {original.known_to && (
          <span className="block min-w-36 text-xs text-notice">
            {original.known_to} knows this key but can no longer manage keys. Rotate or revoke it.
          </span>
        )}
      </>
    ),
  }),
]

/** `change` is null for a viewer. */
export const columnsFor = (change: ((what: "rotate" | "revoke", key: Key) => void) | null): Column<Key>[] =>
  change === null
    ? facts
    : [
        ...facts,
        column.display({
          id: "actions",
          header: () => <span className="sr-only">Actions</span>,
          meta: { align: "end", stays: true },
          cell: ({ row: { original } }) =>
            original.status !== "revoked" && (
              <DropdownMenu>
                <DropdownMenuTrigger>
                  <Button variant="ghost" size="icon-sm" aria-label={`Actions for ${original.name}`}>
                    <Ellipsis aria-hidden="true" />
                  </Button>
                </DropdownMenuTrigger>
                <DropdownMenuContent>
                  <DropdownMenuItem onSelect={() => change("rotate", original)}>
                    <RefreshCw aria-hidden="true" />
                    Rotate
                  </DropdownMenuItem>
                  <DropdownMenuItem danger onSelect={() => change("revoke", original)}>
                    <OctagonX aria-hidden="true" />
                    Revoke
                  </DropdownMenuItem>
                </DropdownMenuContent>
              </DropdownMenu>
            ),
        }),
      ]

function Scopes({ scopes }: { scopes: Key["scopes"] }) {
  if (scopes.length === allScopes.length) return <>All</>
  return (
    <ul className="flex min-w-36 flex-wrap gap-x-2 text-xs">
      {scopes.map((scope) => (
        <li key={scope}>
          <code className="font-mono whitespace-nowrap">{scope}</code>
        </li>
      ))}
    </ul>
  )
}

function TimeOr({ at, otherwise }: { at: string | null; otherwise: string }) {
  if (at === null) return <span className="text-muted">{otherwise}</span>
  return <Ago at={at} />
}
