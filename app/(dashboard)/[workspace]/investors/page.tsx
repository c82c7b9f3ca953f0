"use client"

import { dateRange } from "#app/(dashboard)/date-range.tsx"
import { type Filtered, order, pageNamesOf, schema, searched, status, text } from "#app/(dashboard)/filters.tsx"
import { ListPage, useList } from "#app/(dashboard)/list.tsx"
import { byExpiry, byTime } from "#app/(dashboard)/sort.ts"
import { ExternalId, type RouterOutputs, usePath, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Badge, StatusBadge } from "#app/components/badge.tsx"
import { Shortened } from "#app/components/code.tsx"
import type { Column } from "#app/components/data-table.tsx"
import { Empty } from "#app/components/frame.tsx"
import { Link } from "#app/components/link.tsx"
import { Ago, Day } from "#app/components/timestamp.tsx"
import { buttonLook } from "#app/components/ui/button.tsx"
import { grouped } from "#shared/amount.ts"

const filters = {
  q: text("Search", "Name, wallet or id", 200),
  status: status("Verification", "investor.count"),
  schema,
  ...dateRange("Started"),
  order: order("oldest", "expiry"),
}

export default function Page() {
  const path = usePath()
  const { can } = useWorkspace()
  const list = useList("investor.search", { filters, ask: searched })
  const { order } = list.asked
  return (
    <ListPage
      title="Investors"
      description="The people behind wallets. Wallets with the same external id belong to one person."
      saved="investors"
      exports="investors"
      list={list}
      columns={columnsOf(list.filtered)}
      rowPath={({ investor_id }) => ["investors", investor_id]}
      pageNames={pageNamesOf(order)}
      noMatch="Search by words of an external id in any order, a wallet or its first or last 4 characters, or an investor id. The other filters match anyone with such a verification."
      empty={
        <Empty
          title="No investors yet"
          action={
            <Link
              href={`${path("sessions")}${can("kyc:write") ? "?form=start" : ""}`}
              className={buttonLook({ variant: "primary" })}
            >
              {can("kyc:write") ? "Start session" : "Go to sessions"}
            </Link>
          }
        >
          An investor appears with their first session. Start one for a wallet and send its holder the link. Use the
          same external id for all wallets of a person.
        </Empty>
      }
    />
  )
}

type Investor = RouterOutputs["investor"]["search"]["data"][number]

/** A phone shows only the time that the list is sorted by. */
const columnsOf = (filtered: Filtered): Column<Investor>[] => [
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
    phone: "none",
    className: "tabular-nums",
    cell: ({ wallets }) => wallets.length,
  },
  {
    header: "Holds",
    align: "end",
    className: "whitespace-nowrap tabular-nums",
    cell: ({ holdings }) => <Holdings holdings={holdings} />,
  },
  {
    header: "Expires",
    phone: filtered.current.order === "expiry" ? "labelled" : "none",
    className: "whitespace-nowrap",
    sort: byExpiry(filtered),
    cell: ({ expires_at }) => <Day at={expires_at} />,
  },
  {
    header: filtered.current.order === "oldest" ? "First started" : "Last started",
    phone: filtered.current.order === "expiry" ? "none" : "labelled",
    sort: byTime(filtered),
    cell: ({ started_at }) => <Ago at={started_at} />,
  },
]

/**
 * The largest holding, and how many others there are, which a screen reader reads and the pointer shows. Their place is
 * kept, so that the amounts line up.
 */
function Holdings({ holdings: [first, ...others] }: Pick<Investor, "holdings">) {
  if (first === undefined)
    return (
      <span data-nothing className="text-muted md:pr-7">
        –
      </span>
    )
  const wordsOf = ({ amount, symbol }: Investor["holdings"][number]) => `${grouped(amount)} ${symbol}`
  return (
    <>
      {wordsOf(first)}
      <span title={others.map(wordsOf).join(", ")} className="text-muted md:inline-block md:w-7 md:pl-1.5 md:text-left">
        {others.length > 0 && (
          <>
            <span aria-hidden="true"> +{others.length}</span>
            <span className="sr-only">, {others.map(wordsOf).join(", ")}</span>
          </>
        )}
      </span>
    </>
  )
}
