"use client"

import { parseAsString, parseAsStringLiteral, useQueryState, useQueryStates } from "nuqs"
import { lazy, Suspense, useState } from "react"
import { choice, type Filter, order, pageNamesOf, person, StatusField, schema } from "#app/(dashboard)/filters.tsx"
import { ListPage, useList } from "#app/(dashboard)/list.tsx"
import { useFormInAddress } from "#app/(dashboard)/use-form-in-address.ts"
import { useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Empty } from "#app/components/frame.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { sumOf } from "#shared/counts.ts"
import { type ShownStatus, shownStatuses } from "#shared/statuses.ts"
import { columnsFor } from "./columns.tsx"
import { type Doing, SessionDialogs } from "./session-dialogs.tsx"
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

const waits = choice("Waits for", "Anything", [
  ["open", "Investor or provider"],
  ["in_review", "A review"],
  ["approved", "The chain"],
])

const filters = {
  open: { q: person, waits, schema, order: order("oldest") },
  closed: { q: person, status: outcome, schema, order: order("oldest") },
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
  // Links from other pages name the wallet or the person to start a session for.
  const [wanted, setWanted] = useQueryStates({
    wallet: parseAsString,
    schema: parseAsString,
    external_id: parseAsString,
  })
  const { isOpen: isAsked, setOpen: setAsked } = useFormInAddress("start")
  const [isStarting, setStarting] = useState(wanted.wallet !== null)
  const [link, setLink] = useState<Link | null>(null)
  const [doing, setDoing] = useState<Doing | null>(null)
  const list = useList("session.list", {
    filters: filters[state] as typeof filters.open & typeof filters.closed,
    input: { state },
  })
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
        exports="sessions"
        tabs={{
          names: { open: "Open", closed: "Closed" },
          counts: counts && { open: counts.pending, closed: counts.closed },
          value: state,
          onChange: (to) => {
            list.filtered.change(state === "open" ? { waits: null } : { status: null })
            void setState(to)
          },
        }}
        list={list}
        caption={state === "open" ? "Open sessions" : "Closed sessions"}
        things="sessions"
        columns={columnsFor(state, list.filtered, setDoing)}
        rowPath={({ attestation_id }) => ["attestations", attestation_id]}
        rowQuery="?from=sessions"
        pageNames={pageNamesOf(list.asked.order)}
        noMatch={
          list.filtered.isFiltered && !list.asked.q
            ? `No ${state} session ${list.asked.status ? "has this status" : "matches the filters"}.`
            : undefined
        }
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
            externalId={wanted.external_id}
            onClose={() => {
              setStarting(false)
              setAsked(false)
              if (wanted.wallet !== null || wanted.external_id !== null) void setWanted(null)
            }}
            onStarted={setLink}
          />
        )}
        {link && <SessionLink link={link} onClose={() => setLink(null)} />}
      </Suspense>
      <SessionDialogs doing={doing} onClose={() => setDoing(null)} />
    </>
  )
}
