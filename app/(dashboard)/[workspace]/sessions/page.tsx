"use client"

import { parseAsString, parseAsStringLiteral, useQueryState, useQueryStates } from "nuqs"
import { useMemo, useState } from "react"
import { InvestorLink } from "#app/(dashboard)/investor-link.tsx"
import { StateTabs } from "#app/(dashboard)/state-tabs.tsx"
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
import { CancelSession } from "./cancel-session.tsx"
import { type Link, SessionLink, StartSession } from "./start-session.tsx"

const states = ["open", "closed"] as const

export default function Page() {
  const path = usePath()
  const { can } = useWorkspace()
  const [state, setState] = useQueryState("state", parseAsStringLiteral(states).withDefault("open"))
  // A link from another page names the wallet to start a session for.
  const [asked, setAsked] = useQueryStates({ wallet: parseAsString, schema: parseAsString })
  const [isStarting, setStarting] = useState(asked.wallet !== null)
  const [link, setLink] = useState<Link | null>(null)
  const paging = useCursor(state)
  const { cursor } = paging
  const list = useQuery(
    ["sessions", state, cursor],
    (api, signal) => api.session.list.query({ state, ...(cursor && { cursor }) }, { signal }),
    { keep: true },
  )
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
      empty={
        state === "closed" || !paging.isFirst ? (
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
        value={state}
        onChange={(to) => void setState(to)}
      >
        {table}
      </StateTabs>
      {isStarting && can("kyc:write") && (
        <StartSession
          wallet={asked.wallet}
          schema={asked.schema}
          onClose={() => {
            setStarting(false)
            void setAsked(null)
          }}
          onStarted={setLink}
        />
      )}
      {link && <SessionLink link={link} onClose={() => setLink(null)} />}
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

/** How far a session has come. */
function SessionState({ session }: { session: Session }) {
  const { status, state, flow, consented_at, decision } = session
  if (state === "cancelled") return <Badge>Cancelled</Badge>
  if (status !== "pending") return <StatusBadge status={status} />
  if (decision === "approved") return <Badge tone="notice">Approved, confirming on chain</Badge>
  if (decision === "in_review") return <Badge tone="notice">In review</Badge>
  if (decision === "resubmission_requested") return <Badge tone="notice">Asked to submit again</Badge>
  if (consented_at !== null)
    return <Badge tone="notice">{flow === "form" ? "Submitted" : "Consent given"}</Badge>
  return <Badge tone="plain">Waiting for the investor</Badge>
}
