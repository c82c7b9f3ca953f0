"use client"

import { parseAsString, parseAsStringLiteral, useQueryState, useQueryStates } from "nuqs"
import { useMemo, useState } from "react"
import { usePath, useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { DataTable, useCursor } from "#app/components/data-table.tsx"
import { PageHeader } from "#app/components/page-header.tsx"
import { Empty } from "#app/components/states.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Tabs, TabsContent, TabsList, TabsTrigger } from "#app/components/ui/tabs.tsx"
import { columnsFor } from "./columns.tsx"
import { type Link, SessionLink } from "./session-link.tsx"
import { StartSession } from "./start-session.tsx"

const states = ["open", "closed"] as const

export default function Page() {
  const path = usePath()
  const { can } = useWorkspace()
  const [state, setState] = useQueryState("state", parseAsStringLiteral(states).withDefault("open"))
  // A link from elsewhere names whom to start one for.
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
              : "Sessions that wait for the wallet holder appear here."}
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
      <Tabs value={state} onValueChange={(value) => void setState(value as (typeof states)[number])}>
        <TabsList aria-label="State">
          <TabsTrigger value="open">Open</TabsTrigger>
          <TabsTrigger value="closed">Closed</TabsTrigger>
        </TabsList>
        {states.map((one) => (
          <TabsContent key={one} value={one}>
            {table}
          </TabsContent>
        ))}
      </Tabs>
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
