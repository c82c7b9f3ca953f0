import {
  hasEnded,
  kindNames,
  type Operation,
  operationName,
  type TokenView,
} from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { choice, person } from "#app/(dashboard)/filters.tsx"
import { List, useList } from "#app/(dashboard)/list.tsx"
import { StatusBadge, statusWord } from "#app/components/badge.tsx"
import { Shortened } from "#app/components/code.tsx"
import type { Column } from "#app/components/data-table.tsx"
import { Empty } from "#app/components/frame.tsx"
import { Ago } from "#app/components/timestamp.tsx"
import { grouped } from "#shared/amount.ts"
import { operationKinds } from "#shared/movements.ts"
import { operationStatuses } from "#shared/statuses.ts"

const operationColumns: Column<Operation>[] = [
  { header: "Operation", cell: operationName },
  {
    header: "Amount",
    align: "end",
    phone: "value",
    className: "whitespace-nowrap",
    cell: ({ amount }) => grouped(amount),
  },
  { header: "Wallets", cell: (row) => <OperationWallets of={row} /> },
  { header: "Status", cell: ({ status }) => <StatusBadge status={status} /> },
  { header: "Created", align: "end", cell: ({ created_at }) => <Ago at={created_at} /> },
]

/** The wallet of a mint or a burn, or the two of a transfer. */
export function OperationWallets({ of: { user_pubkey, from_pubkey, to_pubkey } }: { of: Operation }) {
  if (user_pubkey) return <Shortened value={user_pubkey} />
  return (
    <>
      <Shortened value={from_pubkey!} /> <span className="text-muted">to</span> <Shortened value={to_pubkey!} />
    </>
  )
}

const operationFilters = {
  q: person,
  kind: choice(
    "Operation",
    "All",
    operationKinds.map((kind) => [kind, kindNames[kind]]),
  ),
  status: choice(
    "Status",
    "All",
    operationStatuses.map((status) => [status, statusWord(status)]),
  ),
}

/** What was minted, moved and burned of a token, newest first. Refreshed until all that are shown have ended. */
export function Operations({ token }: { token: TokenView }) {
  const list = useList("token.searchOperations", {
    filters: operationFilters,
    input: { mint_config: token.id, limit: 20 },
    isAtRest: hasEnded,
  })
  return (
    <List
      list={list}
      caption="Operations"
      exports="operations"
      columns={operationColumns}
      rowPath={({ operation_id }) => ["tokens", token.id, "operations", operation_id]}
      noMatch="Clear the filters to see all operations."
      empty={<Empty title="No operations yet">Mint from this page or with POST /token/mint.</Empty>}
    />
  )
}
