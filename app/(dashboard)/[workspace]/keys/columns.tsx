import { Ellipsis, OctagonX, RefreshCw } from "lucide-react"
import type { RouterOutputs } from "#app/api.ts"
import { actions, type Column } from "#app/components/data-table.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Menu, MenuItem } from "#app/components/ui/menu.tsx"
import { Ago, StatusBadge } from "#app/components/values.tsx"
import { allScopes } from "#shared/scopes.ts"

export type Key = RouterOutputs["key"]["list"]["data"][number]

const facts: Column<Key>[] = [
  {
    header: "Name",
    cell: ({ name }) => <span className="block min-w-32 font-medium">{name}</span>,
    note: ({ start }) => <code className="font-mono whitespace-nowrap">{start}…</code>,
  },
  { header: "Status", cell: ({ status }) => <StatusBadge status={status} /> },
  { header: "Scopes", cell: ({ scopes }) => <Scopes scopes={scopes} /> },
  { header: "Last used", cell: ({ last_used_at }) => <TimeOr at={last_used_at} otherwise="Never" /> },
  { header: "Expires", cell: ({ expires_at }) => <TimeOr at={expires_at} otherwise="Never" /> },
  {
    header: "Created",
    cell: (row) => (
      <>
        <span className="block whitespace-nowrap">
          <Ago at={row.created_at} />
        </span>
        {row.created_by && <span className="text-xs text-muted">by {row.created_by}</span>}
        {row.known_to && (
          <span className="block min-w-36 text-xs text-notice">
            {row.known_to} knows this key but can no longer manage keys. Rotate or revoke it.
          </span>
        )}
      </>
    ),
  },
]

/** `change` is null for a viewer. */
export const columnsFor = (change: ((what: "rotate" | "revoke", key: Key) => void) | null): Column<Key>[] =>
  change === null
    ? facts
    : [
        ...facts,
        actions(
          (row) =>
            row.status !== "revoked" && (
              <Menu
                trigger={
                  <Button variant="ghost" size="icon-sm" aria-label={`Actions for ${row.name}`}>
                    <Ellipsis aria-hidden="true" />
                  </Button>
                }
              >
                <MenuItem onSelect={() => change("rotate", row)}>
                  <RefreshCw aria-hidden="true" />
                  Rotate
                </MenuItem>
                <MenuItem danger onSelect={() => change("revoke", row)}>
                  <OctagonX aria-hidden="true" />
                  Revoke
                </MenuItem>
              </Menu>
            ),
        ),
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
