"use client"

import { parseAsString, useQueryState } from "nuqs"
import type { Holder, TokenView } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { ExportCsv } from "#app/(dashboard)/export-csv.tsx"
import { InvestorLink } from "#app/(dashboard)/investor-link.tsx"
import { useDebounced, usePath, useQuery } from "#app/(dashboard)/workspace.tsx"
import { Copyable } from "#app/components/code.tsx"
import { type Column, columnsOf, DataTable } from "#app/components/data-table.tsx"
import { Link } from "#app/components/link.tsx"
import { useCursor } from "#app/components/paging.tsx"
import { Empty } from "#app/components/states.tsx"
import { Badge, StatusBadge } from "#app/components/ui/badge.tsx"
import { Input } from "#app/components/ui/input.tsx"
import { grouped } from "#shared/amount.ts"

const column = columnsOf<Holder>()

const PAGE = 20

/** A token's holders, largest first. */
export function Holders({ token }: { token: TokenView }) {
  const [q, setQ] = useQueryState("wallet", parseAsString.withDefault("").withOptions({ throttleMs: 300 }))
  const search = useDebounced(q.trim())
  const paging = useCursor(`${token.id} ${search}`)
  const list = useQuery(
    "token.holders",
    {
      mint_config: token.id,
      limit: PAGE,
      ...(search !== "" && { q: search }),
      ...(paging.cursor !== undefined && { cursor: paging.cursor }),
    },
    { keep: true },
  )
  return (
    <div className="space-y-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <Input
          type="search"
          aria-label="Search holders by wallet"
          placeholder="Wallet, or its first or last characters"
          value={q}
          onChange={({ target }) => void setQ(target.value || null)}
          autoComplete="off"
          spellCheck={false}
          className="max-w-sm"
        />
        <ExportCsv list="holders" asked={{ mint_config: token.id }} />
      </div>
      {list.data && (
        <p className="text-[13px] text-muted">
          {grouped(list.data.supply)} {token.symbol} are minted.
          {list.data.slot !== null && ` Balances include everything on chain up to slot ${list.data.slot}.`}
        </p>
      )}
      {list.data && !list.data.chain_answered && (
        <p role="status" className="rounded-lg bg-notice-soft px-3 py-2 text-[13px] text-notice">
          The chain is unreachable, so account states are not shown.
        </p>
      )}
      {token.transfer_mode === "holder" && (
        <p className="text-[13px] text-muted">
          Balances are read from the chain, because holders move tokens themselves. Wallets that never received tokens
          through Vouch are not listed.
        </p>
      )}
      {list.data?.data.some(({ reopenings }) => reopenings.used > 0) && (
        <p className="text-[13px] text-muted">
          Reopened: this month, the holder closed the empty account and its rent was paid again. At the limit, mints and
          transfers to a closed account are refused until next month (UTC).
        </p>
      )}
      <DataTable
        caption="Holders"
        columns={columns[token.transfer_mode]}
        list={list}
        rowKey={({ wallet }) => wallet}
        paging={paging}
        pageNames={{ back: "Previous", on: "Next" }}
        empty={
          search === "" ? (
            <Empty title="No holders yet">Mint to a verified wallet to see it here.</Empty>
          ) : (
            <Empty title="No matching holders">Search with fewer characters.</Empty>
          )
        }
      />
    </div>
  )
}

function Share({ percent }: { percent: string | null }) {
  return percent === null ? <span className="text-muted">–</span> : `${percent} %`
}

const columnsOfMode = (mode: TokenView["transfer_mode"]): Column<Holder>[] => [
  column.accessor("wallet", {
    header: "Wallet",
    cell: ({ row: { original } }) => (
      <>
        <Copyable value={original.wallet} what="wallet address" compact />
        {/* On narrow screens, in place of their columns. */}
        <span className="my-1 flex gap-1.5 md:hidden">
          <Verification of={original} />
          <AccountState state={original.account} />
        </span>
      </>
    ),
  }),
  column.accessor("balance", {
    header: "Balance",
    meta: { align: "end", className: "whitespace-nowrap" },
    cell: ({ row: { original } }) => (
      <>
        <Balance of={original} mode={mode} />
        <span className="block text-[13px] text-muted md:hidden">
          <Share percent={original.percent} />
        </span>
      </>
    ),
  }),
  column.accessor("percent", {
    header: "Share",
    meta: { align: "end", wideOnly: true, className: "whitespace-nowrap" },
    cell: ({ getValue }) => <Share percent={getValue()} />,
  }),
  column.accessor("verification", {
    header: "Verification",
    meta: { wideOnly: true },
    cell: ({ row: { original } }) => <Verification of={original} />,
  }),
  column.accessor("investor", {
    header: "Investor",
    meta: { wideOnly: true, breaks: true },
    cell: ({ getValue }) => {
      const investor = getValue()
      return investor ? <InvestorLink investor={investor} /> : <span className="text-muted">–</span>
    },
  }),
  column.accessor("account", {
    header: "Account",
    meta: { wideOnly: true },
    cell: ({ getValue }) => <AccountState state={getValue()} />,
  }),
]

const columns = { agent: columnsOfMode("agent"), holder: columnsOfMode("holder") }

function Balance({
  of: { balance, onchain_balance, incoming, outgoing, reopenings },
  mode,
}: {
  of: Holder
  mode: TokenView["transfer_mode"]
}) {
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
  const path = usePath()
  if (verification === null || attestation_id === null) return <Badge>None</Badge>
  return (
    <Link href={path("attestations", attestation_id)} prefetch={false} className="inline-flex rounded-full">
      <StatusBadge status={verification} />
    </Link>
  )
}

function AccountState({ state }: { state: Holder["account"] }) {
  if (state === null) return <span className="text-muted">Unknown</span>
  return state === "absent" ? <Badge>None yet</Badge> : <StatusBadge status={state} />
}
