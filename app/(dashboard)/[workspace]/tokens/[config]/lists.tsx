import { useServicing } from "#app/(dashboard)/[workspace]/tokens/servicing-menu.tsx"
import {
  type Holder,
  hasEnded,
  kindNames,
  type Operation,
  type TokenView,
} from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { ExportCsv } from "#app/(dashboard)/exports.tsx"
import { choice, text } from "#app/(dashboard)/filters.tsx"
import { FreezeNote } from "#app/(dashboard)/freeze-note.tsx"
import { List, useList } from "#app/(dashboard)/list.tsx"
import { InvestorLink, To } from "#app/(dashboard)/workspace.tsx"
import { Badge, StatusBadge, statusWord } from "#app/components/badge.tsx"
import { Copyable, Shortened } from "#app/components/code.tsx"
import { actions, type Column } from "#app/components/data-table.tsx"
import { Empty } from "#app/components/frame.tsx"
import { Ago, NOTHING } from "#app/components/timestamp.tsx"
import { grouped } from "#shared/amount.ts"
import { operationKinds } from "#shared/movements.ts"
import { operationStatuses } from "#shared/statuses.ts"

const filters = { wallet: text("Search", "Wallet: first or last characters") }

/** A token's holders, largest first. */
export function Holders({ token }: { token: TokenView }) {
  const list = useList("token.holders", {
    filters,
    ask: ({ wallet }) => (wallet ? { q: wallet } : {}),
    input: { mint_config: token.id, limit: 20 },
  })
  const { data } = list.query
  const { menuOf, sheet } = useServicing()
  const shown = columns[token.transfer_mode]
  return (
    <List
      list={list}
      caption="Holders"
      columns={
        menuOf
          ? [
              ...shown,
              actions<Holder>(({ wallet, investor }) =>
                menuOf({ mint_config: token.id, symbol: token.symbol, wallet, investor }),
              ),
            ]
          : shown
      }
      rowKey={({ wallet }) => wallet}
      pageNames={{ back: "Previous", on: "Next" }}
      noMatch="Search with fewer characters."
      empty={<Empty title="No holders yet">Mint to a verified wallet to see it here.</Empty>}
      afterFilters={<ExportCsv list="holders" asked={{ mint_config: token.id }} />}
    >
      {sheet}
      {data && (
        <p className="mb-3 text-[13px] text-muted">
          {grouped(data.supply)} {token.symbol} are minted.
          {data.slot !== null && ` Balances include everything on chain up to slot ${data.slot}.`}
        </p>
      )}
      {data && !data.chain_answered && (
        <p role="status" className="mb-3 rounded-lg bg-notice-soft px-3 py-2 text-[13px] text-notice">
          The chain is unreachable, so account states are not shown.
        </p>
      )}
      {token.transfer_mode === "holder" && (
        <p className="mb-3 text-[13px] text-muted">
          Balances are read from the chain, because holders move tokens themselves. Wallets that never received tokens
          through Vouch are not listed.
        </p>
      )}
      {data?.data.some(({ reopenings }) => reopenings.used > 0) && (
        <p className="mb-3 text-[13px] text-muted">
          Reopened: this month, the holder closed the empty account and its rent was paid again. At the limit, mints and
          transfers to a closed account are refused until next month (UTC).
        </p>
      )}
    </List>
  )
}

function Share({ percent }: { percent: string | null }) {
  return percent === null ? NOTHING : `${percent} %`
}

const columnsOfMode = (mode: TokenView["transfer_mode"]): Column<Holder>[] => [
  {
    header: "Wallet",
    cell: (row) => (
      <>
        <Copyable value={row.wallet} what="wallet address" compact />
        <FreezeNote freeze={row.freeze} />
        {/* On narrow screens, in place of their columns. */}
        <span className="my-1 flex gap-1.5 md:hidden">
          <Verification of={row} />
          <AccountState state={row.account} />
        </span>
      </>
    ),
  },
  {
    header: "Balance",
    align: "end",
    className: "whitespace-nowrap",
    cell: (row) => (
      <>
        <Balance of={row} mode={mode} />
        <span className="block text-[13px] text-muted md:hidden">
          <Share percent={row.percent} />
        </span>
      </>
    ),
  },
  {
    header: "Share",
    align: "end",
    wideOnly: true,
    className: "whitespace-nowrap",
    cell: ({ percent }) => <Share percent={percent} />,
  },
  { header: "Verification", wideOnly: true, cell: (row) => <Verification of={row} /> },
  {
    header: "Investor",
    wideOnly: true,
    breaks: true,
    cell: ({ investor }) => (investor ? <InvestorLink investor={investor} /> : NOTHING),
  },
  { header: "Account", wideOnly: true, cell: ({ account }) => <AccountState state={account} /> },
]

const columns = { agent: columnsOfMode("agent"), holder: columnsOfMode("holder") }

type BalanceProps = { of: Holder; mode: TokenView["transfer_mode"] }

function Balance({ of: { balance, onchain_balance, incoming, outgoing, reopenings }, mode }: BalanceProps) {
  const shown = mode === "holder" ? (onchain_balance ?? balance) : balance
  const moving = [incoming !== "0" && `+${grouped(incoming)}`, outgoing !== "0" && `−${grouped(outgoing)}`].filter(
    Boolean,
  )
  return (
    <>
      {grouped(shown)}
      {moving.length > 0 && <span className="block text-xs text-muted">{moving.join(", ")} on its way</span>}
      {reopenings.used > 0 && (
        <span
          className={`block text-xs ${reopenings.used < reopenings.limit ? "text-muted" : "font-medium text-notice"}`}
        >
          Reopened {reopenings.used} of {reopenings.limit} times
        </span>
      )}
    </>
  )
}

function Verification({ of: { verification, attestation_id } }: { of: Holder }) {
  if (verification === null || attestation_id === null) return <Badge>None</Badge>
  return (
    <To path={["attestations", attestation_id]} className="inline-flex rounded-full">
      <StatusBadge status={verification} />
    </To>
  )
}

function AccountState({ state }: { state: Holder["account"] }) {
  if (state === null) return <span className="text-muted">Unknown</span>
  return state === "absent" ? <Badge>None yet</Badge> : <StatusBadge status={state} />
}

const operationColumns: Column<Operation>[] = [
  { header: "Operation", cell: ({ kind }) => kindNames[kind] },
  { header: "Amount", align: "end", className: "whitespace-nowrap", cell: ({ amount }) => grouped(amount) },
  { header: "Wallets", wideOnly: true, cell: (row) => <OperationWallets of={row} /> },
  { header: "Status", cell: ({ status }) => <StatusBadge status={status} /> },
  { header: "Created", align: "end", wideOnly: true, cell: ({ created_at }) => <Ago at={created_at} /> },
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
  pubkey: text("Search", "Sender or recipient address"),
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
  const list = useList("token.operations", {
    filters: operationFilters,
    input: { mint_config: token.id, limit: 20 },
    isAtRest: hasEnded,
  })
  return (
    <List
      list={list}
      caption="Operations"
      columns={operationColumns}
      rowPath={({ operation_id }) => ["tokens", token.id, "operations", operation_id]}
      noMatch="Clear the filters to see all operations."
      empty={<Empty title="No operations yet">Mint from this page or with POST /token/mint.</Empty>}
    />
  )
}
