import { Shortened } from "#app/components/copyable.tsx"
import { columnsOf } from "#app/components/data-table.tsx"
import { StatusBadge } from "#app/components/status-badge.tsx"
import { Ago, Timestamp } from "#app/components/timestamp.tsx"
import type { AttestationSummary } from "#server/domain/attestations/search.ts"

const column = columnsOf<AttestationSummary>()

const NOTHING = <span className="text-muted">–</span>

export const columns = [
  column.accessor("user_pubkey", {
    header: "Wallet",
    meta: { className: "max-sm:pr-2" },
    cell: ({ getValue }) => <Shortened value={getValue()} />,
  }),
  column.accessor("status", {
    header: "Status",
    meta: { className: "max-sm:px-2" },
    cell: ({ getValue }) => <StatusBadge status={getValue()} />,
  }),
  column.accessor("external_id", {
    header: "External id",
    meta: { wideOnly: true, breaks: true },
    cell: ({ getValue }) => getValue() ?? NOTHING,
  }),
  column.accessor("schema", { header: "Schema", meta: { wideOnly: true } }),
  column.accessor("started_at", {
    header: "Started",
    meta: { className: "max-sm:pl-2" },
    cell: ({ getValue }) => <Ago at={getValue()} />,
  }),
  column.accessor("expires_at", {
    header: "Expires",
    meta: { wideOnly: true },
    cell: ({ getValue }) => {
      const at = getValue()
      return at ? <Timestamp at={at} /> : NOTHING
    },
  }),
]
