"use client"

import { parseAsString, parseAsStringLiteral, useQueryState, useQueryStates } from "nuqs"
import { lazy, Suspense, useState } from "react"
import { type Filter, order, pageNamesOf, person, StatusField } from "#app/(dashboard)/filters.tsx"
import { ListPage, useList } from "#app/(dashboard)/list.tsx"
import { useFormInAddress } from "#app/(dashboard)/use-form-in-address.ts"
import { InvestorLink, type RouterOutputs, useMutation, useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Badge, StatusBadge } from "#app/components/badge.tsx"
import { Shortened } from "#app/components/code.tsx"
import { actions, type Column } from "#app/components/data-table.tsx"
import { TextareaField } from "#app/components/form.tsx"
import { Confirm } from "#app/components/form-dialog.tsx"
import { Empty } from "#app/components/frame.tsx"
import { Ago } from "#app/components/timestamp.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { sumOf } from "#shared/counts.ts"
import { type ShownStatus, shownStatuses } from "#shared/statuses.ts"
import type { Link } from "./start-session.tsx"

// Loaded when a member starts a session or opens its link.
const StartSession = lazy(async () => ({ default: (await import("./start-session.tsx")).StartSession }))
const SessionLink = lazy(async () => ({ default: (await import("./start-session.tsx")).SessionLink }))

const states = ["open", "closed"] as const
const outcomes: readonly ShownStatus[] = shownStatuses.filter((status) => status !== "pending")

const outcome: Filter<ShownStatus> = {
  parser: parseAsStringLiteral(outcomes),
  Field: ({ value, onChange }) => <OutcomeField value={value} onChange={onChange} />,
}

const filters = {
  open: { q: person, order: order("oldest") },
  closed: { q: person, status: outcome, order: order("oldest") },
}

/** The number of open and of closed sessions, and of each outcome. Undefined until counted. */
function useCounts() {
  const { data } = useQuery("attestation.count", {})
  return data && { ...data, closed: sumOf(outcomes.map((status) => data[status])) }
}

function OutcomeField(field: { value: ShownStatus | null; onChange: (value: ShownStatus | null) => void }) {
  const counts = useCounts()
  return (
    <StatusField
      {...field}
      statuses={outcomes}
      words={{ revoked: "Revoked or cancelled" }}
      counts={counts && { ...counts, all: counts.closed }}
    />
  )
}

export default function Page() {
  const { can } = useWorkspace()
  const [state, setState] = useQueryState("state", parseAsStringLiteral(states).withDefault("open"))
  // Links from other pages name the wallet to start a session for.
  const [wanted, setWanted] = useQueryStates({ wallet: parseAsString, schema: parseAsString })
  const [isAsked, setAsked] = useFormInAddress("start")
  const [isStarting, setStarting] = useState(wanted.wallet !== null)
  const [link, setLink] = useState<Link | null>(null)
  const list = useList("session.list", { filters: filters[state] as typeof filters.closed, input: { state } })
  const counts = useCounts()
  const start = can("kyc:write") && (
    <Button variant="primary" onClick={() => setStarting(true)}>
      Start session
    </Button>
  )
  return (
    <>
      <ListPage
        title="Sessions"
        description="A session is one verification of one wallet. Its holder opens a link and completes it on a hosted page."
        actions={start}
        tabs={{
          names: { open: "Open", closed: "Closed" },
          counts: counts && { open: counts.pending, closed: counts.closed },
          value: state,
          onChange: (to) => {
            list.filtered.change({ status: null })
            void setState(to)
          },
        }}
        list={list}
        caption={state === "open" ? "Open sessions" : "Closed sessions"}
        things="sessions"
        columns={state === "closed" ? common : [...common, ...ofOpen(setLink)]}
        rowPath={({ attestation_id }) => ["attestations", attestation_id]}
        pageNames={pageNamesOf(list.asked.order)}
        noMatch={list.asked.status && !list.asked.q ? "No closed session has this status." : undefined}
        empty={
          state === "closed" ? (
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
      <Suspense>
        {(isStarting || isAsked) && can("kyc:write") && (
          <StartSession
            wallet={wanted.wallet}
            schema={wanted.schema}
            onClose={() => {
              setStarting(false)
              setAsked(false)
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

const common: Column<Session>[] = [
  {
    header: "Wallet",
    className: "max-sm:pr-2",
    cell: (row) => (
      <>
        <Shortened value={row.user_pubkey} />
        <span className="mt-1 block font-normal sm:hidden">
          <SessionState session={row} />
        </span>
      </>
    ),
  },
  { header: "State", className: "max-sm:hidden", cell: (row) => <SessionState session={row} /> },
  { header: "Schema", wideOnly: true, cell: ({ schema }) => schema },
  { header: "Investor", wideOnly: true, breaks: true, cell: (row) => <InvestorLink investor={row} /> },
  { header: "Started", className: "max-sm:hidden", cell: ({ started_at }) => <Ago at={started_at} /> },
]

const ofOpen = (onLink: (link: Link) => void): Column<Session>[] => [
  { header: "Closes", wideOnly: true, cell: ({ open_until }) => <Ago at={open_until} /> },
  actions(
    ({ session_id, session_url, open_until, user_pubkey }) =>
      session_url &&
      session_id &&
      open_until && (
        <span className="inline-flex gap-2 max-sm:gap-0.5">
          <Button size="sm" onClick={() => onLink({ url: session_url, wallet: user_pubkey })}>
            Link
            <span className="sr-only"> of {user_pubkey}</span>
          </Button>
          <CancelSession sessionId={session_id} wallet={user_pubkey} />
        </span>
      ),
  ),
]

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

/** Cancels a session that has no decision yet. */
function CancelSession({ sessionId, wallet }: { sessionId: string; wallet: string }) {
  const cancel = useMutation((api, reason: string) =>
    api.session.cancel.mutate({ id: sessionId, ...(reason !== "" && { reason }) }),
  )
  return (
    <Confirm
      trigger={
        <Button size="sm" variant="ghost">
          Cancel
          <span className="sr-only"> the session of {wallet}</span>
        </Button>
      }
      title="Cancel this session?"
      description="Its link stops working, and the page tells the investor that you ended it. It no longer counts against your quota."
      confirm="Cancel session"
      dismiss="Keep session"
      onConfirm={(values) => cancel.mutateAsync(String(values.get("reason")).trim())}
    >
      <TextareaField
        label="Internal reason"
        name="reason"
        hint="Visible to your team and your API keys only, never to the investor."
        maxLength={500}
        rows={2}
      />
    </Confirm>
  )
}
