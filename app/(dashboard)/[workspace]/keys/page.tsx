"use client"

import { KeyRound } from "lucide-react"
import { parseAsBoolean, useQueryState } from "nuqs"
import { useState } from "react"
import { ListPage, useList } from "#app/(dashboard)/list.tsx"
import { useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Empty } from "#app/components/layout.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Checkbox } from "#app/components/ui/input.tsx"
import { columnsFor, type Key } from "./columns.tsx"
import { CreateKey, type NewSecret, RevokeKey, RotateKey, SecretOnce } from "./key-dialogs.tsx"

type Doing = { what: "create" } | { what: "rotate" | "revoke"; key: Key } | null

export default function Page() {
  const { mode, can } = useWorkspace()
  const mayChange = can("key:write")
  const keys = useList("key.list")
  const [showsRevoked, setShowsRevoked] = useQueryState("revoked", parseAsBoolean.withDefault(false))
  const [doing, setDoing] = useState<Doing>(null)
  const [secret, setSecret] = useState<NewSecret | null>(null)

  const { data } = keys.query
  const active = data?.data.filter(({ status }) => status !== "revoked") ?? []
  const revoked = (data?.data.length ?? 0) - active.length
  const list = showsRevoked || !data ? keys : { ...keys, query: { ...keys.query, data: { ...data, data: active } } }
  const done = () => setDoing(null)

  return (
    <>
      <ListPage
        title="API keys"
        description={`Your servers use these keys to call the API. They work only in this ${mode} workspace.`}
        actions={
          mayChange && (
            <Button variant="primary" onClick={() => setDoing({ what: "create" })}>
              <KeyRound aria-hidden="true" />
              Create key
            </Button>
          )
        }
        list={list}
        columns={columnsFor(mayChange ? (what, key) => setDoing({ what, key }) : null)}
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
      {doing?.what === "create" && <CreateKey onClose={done} onCreated={setSecret} />}
      {doing?.what === "rotate" && <RotateKey of={doing.key} onClose={done} onRotated={setSecret} />}
      {doing?.what === "revoke" && <RevokeKey of={doing.key} onClose={done} />}
      {secret && <SecretOnce secret={secret} onStored={() => setSecret(null)} />}
    </>
  )
}
