"use client"

import { KeyRound, OctagonX, RefreshCw } from "lucide-react"
import { parseAsBoolean, useQueryState } from "nuqs"
import { useState } from "react"
import { ListPage, useList } from "#app/(dashboard)/list.tsx"
import { useFormInAddress } from "#app/(dashboard)/use-form-in-address.ts"
import { type RouterOutputs, useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { StatusBadge } from "#app/components/badge.tsx"
import { actions, type Column } from "#app/components/data-table.tsx"
import { Empty } from "#app/components/frame.tsx"
import { Ago, Timestamp } from "#app/components/timestamp.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Checkbox } from "#app/components/ui/input.tsx"
import { MenuItem } from "#app/components/ui/menu.tsx"
import { MoreMenu } from "#app/components/ui/more-menu.tsx"
import { allScopes } from "#shared/scopes.ts"
import { CreateKey, type Key, type NewSecret, RevokeKey, RotateKey, SecretOnce } from "./key-dialogs.tsx"
import { Usage } from "./usage.tsx"

type Doing = { what: "rotate" | "revoke"; key: Key } | null

export default function Page() {
  const { mode, can } = useWorkspace()
  const mayChange = can("key:write")
  const keys = useList("key.list")
  const usage = useQuery("key.usage", {})
  const [showsRevoked, setShowsRevoked] = useQueryState("revoked", parseAsBoolean.withDefault(false))
  const { isOpen: isCreating, setOpen: setCreating } = useFormInAddress("create")
  const rotation = useFormInAddress("rotate")
  const [chosen, setDoing] = useState<Doing>(null)
  const [secret, setSecret] = useState<NewSecret | null>(null)

  const { data } = keys.query
  const active = data?.data.filter(({ status }) => status !== "revoked") ?? []
  const revoked = (data?.data.length ?? 0) - active.length
  const list = showsRevoked || !data ? keys : { ...keys, query: { ...keys.query, data: { ...data, data: active } } }
  const toRotate = rotation.isOpen && mayChange && active.find(({ key_id }) => key_id === rotation.key)
  const doing: Doing = toRotate ? { what: "rotate", key: toRotate } : chosen
  function done() {
    setDoing(null)
    rotation.setOpen(false)
  }

  return (
    <>
      <ListPage
        title="API keys"
        description={`Your servers use these keys to call the API. They work only in this ${mode} workspace.`}
        actions={
          mayChange && (
            <Button variant="primary" onClick={() => setCreating(true)}>
              <KeyRound aria-hidden="true" />
              Create key
            </Button>
          )
        }
        exports="keys"
        list={list}
        columns={columnsFor(
          factsWith(usage.error ? null : usage.data),
          mayChange ? (what, key) => setDoing({ what, key }) : null,
        )}
        rowKey={({ key_id }) => key_id}
        empty={
          <Empty title={revoked > 0 ? "No active keys" : "No API keys yet"}>
            {mayChange
              ? "Create a key to call the API. The full key is shown once."
              : "Ask an owner or a developer to create one."}
          </Empty>
        }
      />
      {revoked > 0 && (
        <Checkbox
          className="mt-3"
          checked={showsRevoked}
          onChange={({ target }) => void setShowsRevoked(target.checked || null)}
        >
          Show {revoked} revoked {revoked === 1 ? "key" : "keys"}
        </Checkbox>
      )}
      {isCreating && mayChange && <CreateKey onClose={() => setCreating(false)} onCreated={setSecret} />}
      {doing?.what === "rotate" && <RotateKey of={doing.key} onClose={done} onRotated={setSecret} />}
      {doing?.what === "revoke" && <RevokeKey of={doing.key} onClose={done} />}
      {secret && <SecretOnce secret={secret} onStored={() => setSecret(null)} />}
    </>
  )
}

const factsWith = (usage: RouterOutputs["key"]["usage"] | undefined | null): Column<Key>[] => [
  {
    header: "Name",
    cell: ({ name }) => <span className="block min-w-32 font-medium">{name}</span>,
    note: ({ start, old_secret_until }) => (
      <>
        <code className="font-mono whitespace-nowrap">{start}…</code>
        {old_secret_until && (
          <span className="block text-notice">
            Its old secret works until <Timestamp at={old_secret_until} />
          </span>
        )}
      </>
    ),
  },
  { header: "Status", phone: "value", cell: ({ status }) => <StatusBadge status={status} /> },
  { header: "Requests in 30 days", cell: (row) => <Usage of={row} all={usage} /> },
  { header: "Scopes", phone: "labelled", cell: ({ scopes }) => <Scopes scopes={scopes} /> },
  { header: "Expires", phone: "labelled", cell: ({ expires_at }) => <TimeOr at={expires_at} otherwise="Never" /> },
  {
    header: "Created by",
    phone: "labelled",
    cell: (row) => (
      <>
        {row.created_by && <span className="block">{row.created_by}</span>}
        <span className="block text-xs whitespace-nowrap text-muted">
          <Ago at={row.created_at} />
        </span>
        {row.known_to && (
          <span className="block min-w-36 text-xs text-notice">
            {row.known_to} knows this key but can no longer manage keys. Rotate or revoke it.
          </span>
        )}
      </>
    ),
  },
]

/** `change` is null for a viewer. */
const columnsFor = (
  facts: Column<Key>[],
  change: ((what: "rotate" | "revoke", key: Key) => void) | null,
): Column<Key>[] =>
  change === null
    ? facts
    : [
        ...facts,
        actions(
          (row) =>
            row.status !== "revoked" && (
              <MoreMenu size="icon-sm" label={`Actions for ${row.name}`}>
                <MenuItem onSelect={() => change("rotate", row)}>
                  <RefreshCw aria-hidden="true" />
                  Rotate
                </MenuItem>
                <MenuItem danger onSelect={() => change("revoke", row)}>
                  <OctagonX aria-hidden="true" />
                  Revoke
                </MenuItem>
              </MoreMenu>
            ),
        ),
      ]

function Scopes({ scopes }: { scopes: Key["scopes"] }) {
  if (scopes.length === allScopes.length) return <>All</>
  return (
    <ul className="flex min-w-36 flex-wrap gap-x-2 text-xs">
      {scopes.map((scope) => (
        <li key={scope}>
          <code className="font-mono whitespace-nowrap">{scope}</code>
        </li>
      ))}
    </ul>
  )
}

function TimeOr({ at, otherwise }: { at: string | null; otherwise: string }) {
  if (at === null) return <span className="text-muted">{otherwise}</span>
  return <Ago at={at} />
}
