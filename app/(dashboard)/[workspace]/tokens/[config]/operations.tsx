"use client"

import { parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs"
import type { Operation, TokenView } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { hasEnded, kindNames } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { useDebounced, usePath, usePolling } from "#app/(dashboard)/workspace.tsx"
import { Shortened } from "#app/components/code.tsx"
import { columnsOf, DataTable } from "#app/components/data-table.tsx"
import { useCursor } from "#app/components/paging.tsx"
import { Empty } from "#app/components/states.tsx"
import { Ago } from "#app/components/timestamp.tsx"
import { StatusBadge, statusWord } from "#app/components/ui/badge.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Input, Select } from "#app/components/ui/input.tsx"
import { grouped } from "#shared/amount.ts"
import { operationStatuses } from "#shared/statuses.ts"

const column = columnsOf<Operation>()

const columns = [
  column.accessor("kind", { header: "Operation", cell: ({ getValue }) => kindNames[getValue()] }),
  column.accessor("amount", {
    header: "Amount",
    meta: { align: "end", className: "whitespace-nowrap" },
    cell: ({ getValue }) => grouped(getValue()),
  }),
  column.display({
    id: "wallets",
    header: "Wallets",
    meta: { wideOnly: true },
    cell: ({ row: { original } }) => <Wallets of={original} />,
  }),
  column.accessor("status", {
    header: "Status",
    cell: ({ getValue }) => <StatusBadge status={getValue()} />,
  }),
  column.accessor("created_at", {
    header: "Created",
    meta: { align: "end", wideOnly: true },
    cell: ({ getValue }) => <Ago at={getValue()} />,
  }),
]

function Wallets({ of: { kind, user_pubkey, from_pubkey, to_pubkey } }: { of: Operation }) {
  if (kind === "mint") return <Shortened value={user_pubkey!} />
  return (
    <>
      <Shortened value={from_pubkey!} /> <span className="text-muted">to</span> <Shortened value={to_pubkey!} />
    </>
  )
}

const PAGE = 20

/** Mints and transfers of a token, newest first. Refreshed until all that are shown have ended. */
export function Operations({ token }: { token: TokenView }) {
  const path = usePath()
  const [{ pubkey, status }, setFilter] = useQueryStates({
    pubkey: parseAsString.withDefault(""),
    status: parseAsStringLiteral(operationStatuses),
  })
  const wallet = useDebounced(pubkey.trim())
  const paging = useCursor(`${token.id} ${wallet} ${status}`)
  const list = usePolling(
    "token.operations",
    {
      mint_config: token.id,
      limit: PAGE,
      ...(wallet !== "" && { pubkey: wallet }),
      ...(status !== null && { status }),
      ...(paging.cursor !== undefined && { cursor: paging.cursor }),
    },
    ({ data }) => data.every(hasEnded),
    { keep: true },
  )
  const isFiltered = wallet !== "" || status !== null
  return (
    <div className="space-y-3">
      <div className="flex flex-wrap gap-2">
        <Input
          type="search"
          aria-label="Filter operations by wallet"
          placeholder="Sender or recipient address"
          value={pubkey}
          onChange={({ target }) => void setFilter({ pubkey: target.value || null })}
          autoComplete="off"
          spellCheck={false}
          className="w-full sm:w-96"
        />
        <Select
          aria-label="Filter operations by status"
          value={status ?? ""}
          onChange={({ target }) =>
            void setFilter({ status: operationStatuses.find((one) => one === target.value) ?? null })
          }
          className="w-44"
        >
          <option value="">Every status</option>
          {operationStatuses.map((one) => (
            <option key={one} value={one}>
              {statusWord(one)}
            </option>
          ))}
        </Select>
        {isFiltered && (
          <Button variant="ghost" onClick={() => void setFilter({ pubkey: null, status: null })}>
            Clear
          </Button>
        )}
      </div>
      <DataTable
        caption="Operations"
        columns={columns}
        list={list}
        rowKey={({ operation_id }) => operation_id}
        rowHref={({ operation_id }) => path("tokens", token.id, "operations", operation_id)}
        paging={paging}
        empty={
          isFiltered ? (
            <Empty title="No matching operations">Clear the filters to see all operations.</Empty>
          ) : (
            <Empty title="No operations yet">Mint from this page or with POST /token/mint.</Empty>
          )
        }
      />
    </div>
  )
}
