import type { ReactNode } from "react"
import type { Owner } from "#app/(dashboard)/[workspace]/tokens/finding-words.ts"
import { personOf, useOwners } from "#app/(dashboard)/[workspace]/tokens/use-owners.ts"
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
import { groupedTo, placesOf } from "#shared/amount.ts"
import { operationKinds } from "#shared/movements.ts"
import { operationStatuses } from "#shared/statuses.ts"
import { shownName } from "#shared/visible.ts"

/** The people of an operation, with their wallets below. */
export const investorsColumn = (people: readonly Owner[]): Column<Operation> => ({
  header: "Investors",
  breaks: true,
  className: "max-md:flex-1 max-md:basis-24",
  cell: (row) => <OperationWallets of={row} show={(wallet) => <Party wallet={wallet} people={people} />} />,
  note: (row) =>
    walletsOf(row).some((wallet) => personOf(wallet, people)) && (
      <span className="max-md:hidden">
        <OperationWallets of={row} />
      </span>
    ),
})

const columnsWith = (people: readonly Owner[], places: number): Column<Operation>[] => [
  { header: "Operation", cell: operationName },
  {
    header: "Amount",
    align: "end",
    phone: "value",
    className: "whitespace-nowrap",
    cell: ({ amount }) => groupedTo(places, amount),
  },
  investorsColumn(people),
  { header: "Status", phone: "end", cell: ({ status }) => <StatusBadge status={status} /> },
  { header: "Created", align: "end", cell: ({ created_at }) => <Ago at={created_at} /> },
]

export const walletsOf = ({ user_pubkey, from_pubkey, to_pubkey }: Operation): string[] =>
  user_pubkey ? [user_pubkey] : [from_pubkey!, to_pubkey!]

type OperationWalletsProps = { of: Operation; show?: (wallet: string) => ReactNode }

/** The wallet of a mint or a burn, or the two of a transfer, or the people behind them. */
function OperationWallets({ of, show = (wallet) => <Shortened value={wallet} /> }: OperationWalletsProps) {
  const [first, second] = walletsOf(of)
  return (
    <>
      {show(first!)}
      {second !== undefined && (
        <>
          <span className="text-muted"> to </span>
          {show(second)}
        </>
      )}
    </>
  )
}

/** The company's own id of the person behind a wallet. Without one, the wallet. */
function Party({ wallet, people }: { wallet: string; people: readonly Owner[] }) {
  const name = personOf(wallet, people)?.external_id ?? null
  return name === null ? <Shortened value={wallet} /> : shownName(name)
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
  const operations = list.query.data?.data ?? []
  const people = useOwners(operations.flatMap(walletsOf))
  const places = placesOf(operations.map(({ amount }) => amount))
  return (
    <List
      list={list}
      caption="Operations"
      exports="operations"
      columns={columnsWith(people, places)}
      rowPath={({ operation_id }) => ["tokens", token.id, "operations", operation_id]}
      noMatch="Clear the filters to see all operations."
      empty={<Empty title="No operations yet">Mint from this page or with POST /token/mint.</Empty>}
    />
  )
}
