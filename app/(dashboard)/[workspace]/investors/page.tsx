"use client"

import type { ReactNode } from "react"
import { day, order, pageNamesOf, schema, searched, status, text } from "#app/(dashboard)/filters.tsx"
import { ListPage, useList } from "#app/(dashboard)/list.tsx"
import { ExternalId, type RouterOutputs, usePath } from "#app/(dashboard)/workspace.tsx"
import { Badge, StatusBadge } from "#app/components/badge.tsx"
import { Shortened } from "#app/components/code.tsx"
import type { Column } from "#app/components/data-table.tsx"
import { Empty } from "#app/components/frame.tsx"
import { Link } from "#app/components/link.tsx"
import { Ago, Timestamp } from "#app/components/timestamp.tsx"
import { buttonLook } from "#app/components/ui/button.tsx"

const filters = {
  q: text("Search", "External id, wallet or investor id", 200),
  status: status("Verification", "investor.count"),
  schema,
  from: day("from", "Started from"),
  to: day("to", "Started to"),
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

/** The investor's name: the company's own id, else the wallet. An investor with neither has only our id. */
const name = (more?: (of: Investor) => ReactNode): Column<Investor> => ({
  header: "Investor",
  breaks: true,
  cell: (row) => (
    <>
      {row.external_id === null ? (
        <Shortened value={row.wallets[0] ?? row.investor_id} />
      ) : (
        <ExternalId value={row.external_id} />
      )}
      {more?.(row)}
    </>
  ),
})

const common: Column<Investor>[] = [
  {
    header: "Verifications",
    cell: ({ statuses }) => (
      <span className="flex flex-wrap gap-1.5">
        {statuses.map((status) => (
          <StatusBadge key={status} status={status} />
        ))}
        {statuses.length === 0 && <Badge>None</Badge>}
      </span>
    ),
  },
  { header: "Wallets", align: "end", className: "tabular-nums", cell: ({ wallets }) => wallets.length },
]

const firstSeen: Column<Investor> = {
  header: "First seen",
  wideOnly: true,
  className: "whitespace-nowrap",
  cell: ({ first_seen_at }) => <Timestamp at={first_seen_at} />,
}

const started = (header: string): Column<Investor> => ({
  header,
  wideOnly: true,
  cell: ({ started_at }) => <Ago at={started_at} />,
})

const expires: Column<Investor> = {
  header: "Expires",
  className: "max-sm:hidden whitespace-nowrap",
  cell: ({ expires_at: at }) => at && <Timestamp at={at} />,
}

const columnsIn = {
  newest: [name(), ...common, started("Last started"), firstSeen],
  oldest: [name(), ...common, started("First started"), firstSeen],
  expiry: [
    // On narrow screens, in place of its column
    name(
      ({ expires_at: at }) =>
        at && (
          <span className="block text-xs font-normal text-muted sm:hidden">
            Expires <Ago at={at} />
          </span>
        ),
    ),
    ...common,
    expires,
    firstSeen,
  ],
}
