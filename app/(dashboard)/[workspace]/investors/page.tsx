"use client"

import { parseAsString, parseAsStringLiteral } from "nuqs"
import type { ReactNode } from "react"
import { DayFilters, Filters, given, TextFilter, useFilters } from "#app/(dashboard)/filters.tsx"
import { ExternalId } from "#app/(dashboard)/investor-link.tsx"
import {
  OrderFilter,
  orders,
  pageNamesOf,
  SchemaFilter,
  StatusFilter,
  statusIn,
  withStatus,
} from "#app/(dashboard)/verification-filters.tsx"
import { usePath, useQuery } from "#app/(dashboard)/workspace.tsx"
import type { RouterOutputs } from "#app/api.ts"
import { Shortened } from "#app/components/code.tsx"
import { columnsOf, DataTable } from "#app/components/data-table.tsx"
import { Link } from "#app/components/link.tsx"
import { PageHeader } from "#app/components/page-header.tsx"
import { Empty } from "#app/components/states.tsx"
import { Ago, Timestamp } from "#app/components/timestamp.tsx"
import { Badge, StatusBadge } from "#app/components/ui/badge.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { shownStatuses } from "#shared/statuses.ts"

const filters = {
  q: parseAsString,
  schema: parseAsString,
  status: parseAsStringLiteral(shownStatuses),
  order: parseAsStringLiteral(orders),
}

export default function Page() {
  const path = usePath()
  const { filter, setFilter, days, times, paging, isFiltered, current, onClear } = useFilters(filters)
  const { cursor } = paging
  const { order } = filter
  const status = statusIn(filter)
  const asked = { ...given({ ...filter, status }), ...times }
  const { status: _, order: __, ...uncounted } = asked
  const counts = useQuery("investor.count", uncounted, { keep: true })
  const list = useQuery("investor.search", { ...asked, ...(cursor && { cursor }) }, { keep: true })
  return (
    <>
      <PageHeader
        title="Investors"
        description="The people behind wallets. Wallets with the same external id belong to one person."
      />
      <Filters onClear={onClear} saved={{ list: "investors", current }}>
        <TextFilter
          label="Search"
          placeholder="External id, wallet or investor id"
          maxLength={200}
          value={filter.q}
          onChange={(q) => setFilter({ q })}
        />
        <StatusFilter
          label="Verification"
          counts={counts.data}
          value={status}
          onChange={(status) => setFilter(withStatus(status, order))}
        />
        <SchemaFilter value={filter.schema} onChange={(schema) => setFilter({ schema })} />
        <DayFilters labels={["Started from", "Started to"]} days={days} />
        <OrderFilter orders={orders} value={order} onChange={(order) => setFilter({ order })} />
      </Filters>
      <DataTable
        caption="Investors"
        columns={columnsIn[order ?? "newest"]}
        list={list}
        rowKey={({ investor_id }) => investor_id}
        rowHref={({ investor_id }) => path("investors", investor_id)}
        paging={paging}
        pageNames={pageNamesOf(order)}
        empty={
          isFiltered || !paging.isFirst ? (
            <Empty title="No matching investors">
              Search by the first characters of an external id, a wallet or its first or last 4 characters, or an
              investor id. The other filters match anyone with such a verification.
            </Empty>
          ) : (
            <Empty
              title="No investors yet"
              action={
                <Button asChild variant="primary">
                  <Link href={path("sessions")}>Go to sessions</Link>
                </Button>
              }
            >
              An investor appears with their first session. Send externalId with POST /kyc/start to keep all wallets of
              a person together.
            </Empty>
          )
        }
      />
    </>
  )
}

type Investor = RouterOutputs["investor"]["search"]["data"][number]

const column = columnsOf<Investor>()

const name = (more?: (of: Investor) => ReactNode) =>
  column.accessor("external_id", {
    header: "Investor",
    meta: { breaks: true },
    cell: ({ row: { original } }) => (
      <>
        <Name of={original} />
        {more?.(original)}
      </>
    ),
  })

const common = [
  column.accessor("statuses", {
    header: "Verifications",
    cell: ({ getValue }) => (
      <span className="flex flex-wrap gap-1.5">
        {getValue().map((status) => (
          <StatusBadge key={status} status={status} />
        ))}
        {getValue().length === 0 && <Badge>None</Badge>}
      </span>
    ),
  }),
  column.accessor("wallets", {
    header: "Wallets",
    meta: { align: "end", className: "tabular-nums" },
    cell: ({ getValue }) => getValue().length,
  }),
]

const firstSeen = column.accessor("first_seen_at", {
  header: "First seen",
  meta: { wideOnly: true, className: "whitespace-nowrap" },
  cell: ({ getValue }) => <Timestamp at={getValue()} />,
})

const started = (header: string) =>
  column.accessor("started_at", {
    header,
    meta: { wideOnly: true },
    cell: ({ getValue }) => <Ago at={getValue()} />,
  })

const expires = column.accessor("expires_at", {
  header: "Expires",
  meta: { className: "max-sm:hidden whitespace-nowrap" },
  cell: ({ getValue }) => {
    const at = getValue()
    return at && <Timestamp at={at} />
  },
})

/** The columns of each order. */
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

/** The investor's name: the company's own id, else the wallet. An investor with neither has only our id. */
function Name({ of: { external_id, wallets, investor_id } }: { of: Investor }) {
  if (external_id !== null) return <ExternalId value={external_id} />
  return <Shortened value={wallets[0] ?? investor_id} />
}
