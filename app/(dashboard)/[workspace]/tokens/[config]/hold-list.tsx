import type { Owner } from "#app/(dashboard)/[workspace]/tokens/finding-words.ts"
import { useHoldActions } from "#app/(dashboard)/[workspace]/tokens/hold-actions.tsx"
import { personOf, useOwners } from "#app/(dashboard)/[workspace]/tokens/use-owners.ts"
import type { Hold, TokenView } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { choice, person } from "#app/(dashboard)/filters.tsx"
import { List, useList } from "#app/(dashboard)/list.tsx"
import { InvestorLink } from "#app/(dashboard)/workspace.tsx"
import { StatusBadge, statusWord } from "#app/components/badge.tsx"
import { Copyable } from "#app/components/code.tsx"
import { actions, type Column } from "#app/components/data-table.tsx"
import { Empty } from "#app/components/frame.tsx"
import { Ago, Timestamp } from "#app/components/timestamp.tsx"
import { groupedTo, placesOf } from "#shared/amount.ts"
import { holdStates } from "#shared/holds.ts"
import { reasonNames } from "#shared/movements.ts"
import { HoldReason } from "./hold-reason.tsx"
import { useActiveHolds } from "./use-holds.ts"

const filters = {
  q: person,
  state: choice(
    "State",
    "All",
    holdStates.map((state) => [state, statusWord(state)]),
  ),
}

/** Whether no operation is placing or ending it. */
const isAtRest = ({ state, remaining }: Hold): boolean =>
  state !== "pending" && !(state === "active" && remaining === "0")

/** A token's holds, newest first, with those that have ended. */
export function Holds({ token }: { token: TokenView }) {
  const list = useList("hold.search", { filters, input: { mint_config: token.id, limit: 20 }, isAtRest })
  const { menuOf, sheet } = useHoldActions()
  const holds = list.query.data?.data ?? []
  const people = useOwners(holds.map(({ user_pubkey }) => user_pubkey))
  const columns = columnsWith(people, placesOf(holds.flatMap(({ remaining, amount }) => [remaining, amount])))
  return (
    <List
      list={list}
      caption="Holds"
      exports="holds"
      columns={menuOf ? [...columns, actions<Hold>((hold) => menuOf(hold, token.symbol))] : columns}
      rowKey={({ hold_id }) => hold_id}
      noMatch="Clear the filters to see all holds."
      empty={<Empty title="No holds">To hold tokens of a wallet, open the actions of its row under Holders.</Empty>}
    >
      {sheet}
    </List>
  )
}

const columnsWith = (people: readonly Owner[], places: number): Column<Hold>[] => [
  {
    header: "Investor",
    breaks: true,
    className: "md:min-w-48",
    cell: ({ user_pubkey }) => {
      const person = personOf(user_pubkey, people)
      return person ? <InvestorLink investor={person} /> : <Wallet address={user_pubkey} />
    },
    note: ({ user_pubkey, onchain_account }) => (
      <>
        {personOf(user_pubkey, people) && <Wallet address={user_pubkey} />}
        {onchain_account !== null && (
          <span className="block">
            Account <Copyable value={onchain_account} what="account" compact />
          </span>
        )}
      </>
    ),
  },
  {
    header: "Held",
    align: "end",
    phone: "value",
    className: "whitespace-nowrap",
    cell: ({ remaining, amount }) => (
      <>
        {groupedTo(places, remaining)}
        {remaining !== amount && <span className="block text-xs text-muted">of {groupedTo(places, amount)}</span>}
      </>
    ),
  },
  { header: "State", cell: ({ state }) => <StatusBadge status={state} /> },
  {
    header: "Why",
    breaks: true,
    cell: ({ reason_code }) => reasonNames[reason_code],
    note: ({ reference }) => reference,
  },
  { header: "Placed", phone: "none", cell: ({ created_at }) => <Ago at={created_at} /> },
  {
    header: "Ends",
    phone: "labelled",
    className: "whitespace-nowrap",
    cell: ({ expires_at, ended_at }) => <Timestamp at={ended_at ?? expires_at} />,
  },
]

const Wallet = ({ address }: { address: string }) => <Copyable value={address} what="wallet address" compact />

type WalletHoldsProps = {
  of: { mint_config: string; symbol: string; wallet: string }
  menuOf: ReturnType<typeof useHoldActions>["menuOf"]
}

/** The holds of a wallet that hold something, each with its reason and its end. */
export function WalletHolds({ of: { mint_config, symbol, wallet }, menuOf }: WalletHoldsProps) {
  const holds = useActiveHolds(mint_config, wallet)
  const places = placesOf(holds.map(({ remaining }) => remaining))
  return (
    <ul aria-label={`Holds of ${symbol}`} className="my-1 border-l-2 border-line pl-3">
      {holds.map((hold) => (
        <li key={hold.hold_id} className="flex items-center justify-between gap-x-4 py-0.5 text-[13px]">
          <span className="min-w-0 text-muted">
            <HoldReason hold={hold} />
          </span>
          <span className="flex items-center gap-2 tabular-nums">
            <span className="whitespace-nowrap">{groupedTo(places, hold.remaining)} held</span>
            {menuOf?.(hold, symbol)}
          </span>
        </li>
      ))}
    </ul>
  )
}
