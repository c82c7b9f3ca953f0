"use client"

import { parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs"
import { lazy, Suspense, useMemo, useState } from "react"
import { Filters, given } from "#app/(dashboard)/filters.tsx"
import { InvestorLink } from "#app/(dashboard)/investor-link.tsx"
import { StateTabs } from "#app/(dashboard)/state-tabs.tsx"
import { OrderFilter, pageNamesOf, StatusFilter } from "#app/(dashboard)/verification-filters.tsx"
import { usePath, useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import type { RouterOutputs } from "#app/api.ts"
import { Shortened } from "#app/components/code.tsx"
import { type Column, columnsOf, DataTable } from "#app/components/data-table.tsx"
import { PageHeader } from "#app/components/page-header.tsx"
import { useCursor } from "#app/components/paging.tsx"
import { Empty } from "#app/components/states.tsx"
import { Ago } from "#app/components/timestamp.tsx"
import { Badge, StatusBadge } from "#app/components/ui/badge.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { sumOf } from "#shared/counts.ts"
import { shownStatuses } from "#shared/statuses.ts"
import { CancelSession } from "./cancel-session.tsx"
import type { Link } from "./start-session.tsx"

// Loaded when a member starts a session or opens its link.
const StartSession = lazy(async () => ({ default: (await import("./start-session.tsx")).StartSession }))
const SessionLink = lazy(async () => ({ default: (await import("./start-session.tsx")).SessionLink }))

const states = ["open", "closed"] as const
/** The possible outcomes of closed sessions. */
const outcomes = shownStatuses.filter((status) => status !== "pending")

const filters = {
  state: parseAsStringLiteral(states).withDefault("open"),
  status: parseAsStringLiteral(shownStatuses),
  order: parseAsStringLiteral(["oldest"] as const),
}

export default function Page() {
  const path = usePath()
  const { can } = useWorkspace()
  const [filter, setFilter] = useQueryStates(filters)
  const { state, order } = filter
  const status = state === "closed" ? filter.status : null
  const isFiltered = status !== null || order !== null
  // Links from other pages name the wallet to start a session for.
  const [wanted, setWanted] = useQueryStates({ wallet: parseAsString, schema: parseAsString })
  const [isStarting, setStarting] = useState(wanted.wallet !== null)
  const [link, setLink] = useState<Link | null>(null)
  const paging = useCursor(isFiltered ? JSON.stringify([state, status, order]) : state)
  const { cursor } = paging
  const asked = { state, ...given({ status, order }), ...(cursor && { cursor }) }
  const list = useQuery("session.list", asked, {
    keep: true,
  })
  const { data: counts } = useQuery("attestation.count", {})
  const closed = counts && sumOf(outcomes.map((status) => counts[status]))
  const columns = useMemo(() => columnsFor(state, setLink), [state])
  const start = can("kyc:write") && (
    <Button variant="primary" onClick={() => setStarting(true)}>
      Start session
    </Button>
  )
  const table = (
    <DataTable
      caption={state === "open" ? "Open sessions" : "Closed sessions"}
      columns={columns}
      list={list}
      rowKey={({ attestation_id }) => attestation_id}
      rowHref={({ attestation_id }) => path("attestations", attestation_id)}
      paging={paging}
      pageNames={pageNamesOf(order)}
      empty={
        status !== null ? (
          <Empty title="No matching sessions">No closed session has this status.</Empty>
        ) : state === "closed" || !paging.isFirst ? (
          <Empty title="No closed sessions">Sessions appear here after a decision or their expiry.</Empty>
        ) : (
          <Empty title="No open sessions" action={start}>
            {can("kyc:write")
              ? "Start a session for a wallet and send its holder the link. Anyone with the link can verify that wallet."
              : "Sessions that wait for the investor appear here."}
          </Empty>
        )
      }
    />
  )
  return (
    <>
      <PageHeader
        title="Sessions"
        description="A session is one verification of one wallet. Its holder opens a link and completes it on a hosted page."
        actions={start}
      />
      <StateTabs
        names={{ open: "Open", closed: "Closed" }}
        counts={counts && closed && { open: counts.pending, closed }}
        value={state}
        onChange={(state) => void setFilter({ state, status: null })}
      >
        <Filters onClear={isFiltered ? () => void setFilter({ status: null, order: null }) : null}>
          {state === "closed" && (
            <StatusFilter
              statuses={outcomes}
              words={{ revoked: "Revoked or cancelled" }}
              counts={counts && closed && { ...counts, all: closed }}
              value={status}
              onChange={(status) => void setFilter({ status })}
            />
          )}
          <OrderFilter orders={["oldest"]} value={order} onChange={(order) => void setFilter({ order })} />
        </Filters>
        {table}
      </StateTabs>
      <Suspense>
        {isStarting && can("kyc:write") && (
          <StartSession
            wallet={wanted.wallet}
            schema={wanted.schema}
            onClose={() => {
              setStarting(false)
              void setWanted(null)
            }}
            onStarted={setLink}
          />
        )}
        {link && <SessionLink link={link} onClose={() => setLink(null)} />}
      </Suspense>
    </>
  )
}

type Session = RouterOutputs["session"]["list"]["data"][number]

const column = columnsOf<Session>()

const common: Column<Session>[] = [
  column.accessor("user_pubkey", {
    header: "Wallet",
    meta: { className: "max-sm:pr-2" },
    cell: ({ row }) => (
      <>
        <Shortened value={row.original.user_pubkey} />
        <span className="mt-1 block font-normal sm:hidden">
          <SessionState session={row.original} />
        </span>
      </>
    ),
  }),
  column.display({
    id: "state",
    header: "State",
    meta: { className: "max-sm:hidden" },
    cell: ({ row }) => <SessionState session={row.original} />,
  }),
  column.accessor("schema", { header: "Schema", meta: { wideOnly: true } }),
  column.accessor("external_id", {
    header: "Investor",
    meta: { wideOnly: true, breaks: true },
    cell: ({ row }) => <InvestorLink investor={row.original} />,
  }),
  column.accessor("started_at", {
    header: "Started",
    meta: { className: "max-sm:hidden" },
    cell: ({ getValue }) => <Ago at={getValue()} />,
  }),
]

/** Columns for open sessions (with their link) or for closed ones. */
const columnsFor = (state: "open" | "closed", onLink: (link: Link) => void): Column<Session>[] =>
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
          id: "actions",
          header: () => <span className="sr-only">Actions</span>,
          meta: { align: "end", stays: true },
          cell: ({ row }) => {
            const { session_id, session_url, user_pubkey } = row.original
            return (
              session_url &&
              session_id &&
              row.original.open_until && (
                <span className="inline-flex gap-2 max-sm:gap-0.5">
                  <Button size="sm" onClick={() => onLink({ url: session_url, wallet: user_pubkey })}>
                    Link
                    <span className="sr-only"> of {user_pubkey}</span>
                  </Button>
                  <CancelSession sessionId={session_id} wallet={user_pubkey} />
                </span>
              )
            )
          },
        }),
      ]

/** The progress of a session. */
function SessionState({ session }: { session: Session }) {
  const { status, state, flow, consented_at, decision } = session
  if (state === "cancelled") return <Badge>Cancelled</Badge>
  if (status !== "pending") return <StatusBadge status={status} />
  if (decision === "approved") return <Badge tone="notice">Approved, confirming on chain</Badge>
  if (decision === "in_review") return <Badge tone="notice">In review</Badge>
  if (decision === "resubmission_requested") return <Badge tone="notice">Asked to submit again</Badge>
  if (consented_at !== null) return <Badge tone="notice">{flow === "form" ? "Submitted" : "Consent given"}</Badge>
  return <Badge tone="plain">Waiting for the investor</Badge>
}
