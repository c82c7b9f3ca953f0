import type { RouterOutputs } from "#app/call.ts"
import { Shortened } from "#app/components/copyable.tsx"
import { type Column, columnsOf } from "#app/components/data-table.tsx"
import { StatusBadge } from "#app/components/status-badge.tsx"
import { Ago } from "#app/components/timestamp.tsx"
import { Badge } from "#app/components/ui/badge.tsx"
import { Button } from "#app/components/ui/button.tsx"
import type { Link } from "./session-link.tsx"

export type Session = RouterOutputs["session"]["list"]["data"][number]

const column = columnsOf<Session>()

const common: Column<Session>[] = [
  column.accessor("user_pubkey", {
    header: "Wallet",
    meta: { className: "max-sm:pr-2" },
    cell: ({ getValue }) => <Shortened value={getValue()} />,
  }),
  column.display({
    id: "state",
    header: "State",
    cell: ({ row }) => <SessionState session={row.original} />,
  }),
  column.accessor("schema", { header: "Schema", meta: { wideOnly: true } }),
  column.accessor("external_id", {
    header: "External id",
    meta: { wideOnly: true, breaks: true },
    cell: ({ getValue }) => getValue() ?? <span className="text-muted">–</span>,
  }),
  column.accessor("started_at", {
    header: "Started",
    cell: ({ getValue }) => <Ago at={getValue()} />,
  }),
]

/** Columns of the open ones, which somebody can still be sent to, or of those that are over. */
export const columnsFor = (state: "open" | "closed", onLink: (link: Link) => void): Column<Session>[] =>
  state === "closed"
    ? common
    : [
        ...common,
        column.accessor("open_until", {
          header: "Closes",
          meta: { wideOnly: true },
          cell: ({ getValue }) => {
            const at = getValue()
            return at ? <Ago at={at} /> : <span className="text-muted">–</span>
          },
        }),
        column.display({
          id: "link",
          header: () => <span className="sr-only">Link</span>,
          meta: { align: "end" },
          cell: ({ row }) => {
            const { session_url, user_pubkey } = row.original
            return (
              session_url &&
              row.original.open_until && (
                <Button size="sm" onClick={() => onLink({ url: session_url, wallet: user_pubkey })}>
                  Link
                  <span className="sr-only"> of {user_pubkey}</span>
                </Button>
              )
            )
          },
        }),
      ]

/** How far a session has come. */
function SessionState({ session }: { session: Session }) {
  const { status, opened_at, decision } = session
  if (status !== "pending") return <StatusBadge status={status} />
  if (decision === "approved") return <Badge tone="notice">Approved, confirming on chain</Badge>
  if (decision === "in_review") return <Badge tone="notice">In review</Badge>
  if (decision === "resubmission_requested") return <Badge tone="notice">Asked to submit again</Badge>
  if (opened_at !== null) return <Badge tone="notice">Submitted</Badge>
  return <Badge tone="plain">Waiting for the wallet holder</Badge>
}
