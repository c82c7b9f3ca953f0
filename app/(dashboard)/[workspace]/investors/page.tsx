"use client"

import { dateRange } from "#app/(dashboard)/date-range.tsx"
import { order, pageNamesOf, schema, searched, status, text } from "#app/(dashboard)/filters.tsx"
import { ListPage, useList } from "#app/(dashboard)/list.tsx"
import { ExternalId, type RouterOutputs, usePath } from "#app/(dashboard)/workspace.tsx"
import { Badge, StatusBadge } from "#app/components/badge.tsx"
import { Shortened } from "#app/components/code.tsx"
import type { Column } from "#app/components/data-table.tsx"
import { Empty } from "#app/components/frame.tsx"
import { Link } from "#app/components/link.tsx"
import { Ago, NOTHING, Timestamp } from "#app/components/timestamp.tsx"
import { buttonLook } from "#app/components/ui/button.tsx"
import { countOf } from "#shared/counts.ts"

const filters = {
  q: text("Search", "External id, wallet or investor id", 200),
  status: status("Verification", "investor.count"),
  schema,
  ...dateRange("Started"),
  order: order("oldest", "expiry"),
}

export default function Page() {
  const path = usePath()
  const list = useList("investor.search", { filters, ask: searched })
  const { order } = list.asked
  return (
    <ListPage
      title="Investors"
      description="The people behind wallets. Wallets with the same external id belong to one person."
      saved="investors"
      exports="investors"
      list={list}
      columns={columnsIn[order ?? "newest"]}
      rowPath={({ investor_id }) => ["investors", investor_id]}
      pageNames={pageNamesOf(order)}
      noMatch="Search by words of an external id in any order, a wallet or its first or last 4 characters, or an investor id. The other filters match anyone with such a verification."
      empty={
        <Empty
          title="No investors yet"
          action={
            <Link href={path("sessions")} className={buttonLook({ variant: "primary" })}>
              Go to sessions
            </Link>
          }
        >
          An investor appears with their first session. Send externalId with POST /kyc/start to keep all wallets of a
          person together.
        </Empty>
      }
    />
  )
}

type Investor = RouterOutputs["investor"]["search"]["data"][number]

const common: Column<Investor>[] = [
  {
    // The investor's name: the company's own id, else the wallet. An investor with neither has only our id.
    header: "Investor",
    breaks: true,
    cell: ({ external_id, wallets, investor_id }) =>
      external_id === null ? <Shortened value={wallets[0] ?? investor_id} /> : <ExternalId value={external_id} />,
  },
  {
    header: "Verifications",
    phone: "value",
    cell: ({ statuses }) => (
      <span className="flex flex-wrap gap-1.5 max-md:justify-end">
        {statuses.map((status) => (
          <StatusBadge key={status} status={status} />
        ))}
        {statuses.length === 0 && <Badge>None</Badge>}
      </span>
    ),
  },
  {
    header: "Wallets",
    align: "end",
    phone: "labelled",
    className: "tabular-nums",
    cell: ({ wallets }) => wallets.length,
  },
]

const holds: Column<Investor> = {
  header: "Holds",
  phone: "none",
  className: "whitespace-nowrap",
  cell: ({ tokens_held }) => (tokens_held === 0 ? NOTHING : countOf(tokens_held, "token")),
}

const started = (header: string): Column<Investor> => ({
  header,
  phone: "labelled",
  cell: ({ started_at }) => <Ago at={started_at} />,
})

const expires: Column<Investor> = {
  header: "Expires",
  phone: "labelled",
  className: "whitespace-nowrap",
  cell: ({ expires_at: at }) => at && <Timestamp at={at} />,
}

const columnsIn = {
  newest: [...common, holds, started("Last started")],
  oldest: [...common, holds, started("First started")],
  expiry: [...common, holds, expires],
}
