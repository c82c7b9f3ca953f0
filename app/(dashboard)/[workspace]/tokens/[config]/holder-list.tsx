import { useServicing } from "#app/(dashboard)/[workspace]/tokens/servicing-menu.tsx"
import type { Holder, TokenView } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { ExportCsv } from "#app/(dashboard)/exports.tsx"
import { person } from "#app/(dashboard)/filters.tsx"
import { FreezeNote, LostNote } from "#app/(dashboard)/freeze-note.tsx"
import { HeldNote } from "#app/(dashboard)/held-note.tsx"
import { List, useList } from "#app/(dashboard)/list.tsx"
import { InvestorLink, To } from "#app/(dashboard)/workspace.tsx"
import { Badge, StatusBadge } from "#app/components/badge.tsx"
import { Copyable } from "#app/components/code.tsx"
import { actions, type Column } from "#app/components/data-table.tsx"
import { Empty } from "#app/components/frame.tsx"
import { PREVIOUS_NEXT } from "#app/components/paging.tsx"
import { NOTHING } from "#app/components/timestamp.tsx"
import { grouped, groupedTo, placesOf } from "#shared/amount.ts"

const filters = { q: person }

/** A token's holders, largest first. */
export function Holders({ token }: { token: TokenView }) {
  const list = useList("token.holders", {
    filters,
    input: { mint_config: token.id, limit: 20 },
  })
  const { data } = list.query
  const { menuOf, sheet } = useServicing()
  return (
    <List
      list={list}
      caption="Holders"
      columns={[
        ...columnsOf(token, data?.data ?? []),
        actions<Holder>(({ wallet, investor, freezes }) =>
          menuOf({ mint_config: token.id, symbol: token.symbol, wallet, investor, freezes }),
        ),
      ]}
      rowKey={({ wallet }) => wallet}
      pageNames={PREVIOUS_NEXT}
      noMatch="Search with fewer words or characters."
      empty={<Empty title="No holders yet">Mint to a verified wallet to see it here.</Empty>}
      afterFilters={<ExportCsv list="holders" asked={{ mint_config: token.id }} />}
    >
      {sheet}
      <p
        className="mb-3 text-[13px] text-muted"
        title={data?.slot == null ? undefined : `Includes everything on chain up to slot ${data.slot}.`}
      >
        Each wallet’s balance now. For one row per investor, or an earlier date, open the{" "}
        <To path={["tokens", token.id]} query="?tab=register" className="underline underline-offset-2">
          register
        </To>
        .
      </p>
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
  return percent === null ? NOTHING : `${percent}%`
}

const shownBalance = ({ transfer_mode }: TokenView, { balance, onchain_balance }: Holder): string =>
  transfer_mode === "holder" ? (onchain_balance ?? balance) : balance

function columnsOf(token: TokenView, holders: readonly Holder[]): Column<Holder>[] {
  const places = placesOf(holders.map((holder) => shownBalance(token, holder)))
  const isUsual = holders.every(({ account }) => isUsualState(token, account))
  return [
    {
      header: "Investor",
      breaks: true,
      className: "md:min-w-48",
      cell: ({ wallet, investor }) =>
        investor?.external_id != null ? (
          <InvestorLink investor={investor} />
        ) : (
          <Copyable value={wallet} what="wallet address" compact />
        ),
      note: ({ wallet, investor, bar, freezes }) => (
        <>
          {investor?.external_id != null ? (
            <Copyable value={wallet} what="wallet address" compact />
          ) : (
            investor && <InvestorLink investor={investor} />
          )}
          <LostNote bar={bar} />
          <FreezeNote freezes={freezes} />
        </>
      ),
    },
    {
      header: "Balance",
      align: "end",
      phone: "value",
      className: "whitespace-nowrap",
      cell: (row) => <Balance of={row} token={token} places={places} />,
    },
    {
      header: "Share",
      align: "end",
      phone: "none",
      className: "whitespace-nowrap",
      cell: ({ percent }) => <Share percent={percent} />,
    },
    { header: "Verification", className: "max-md:ml-auto", cell: (row) => <Verification of={row} /> },
    ...(isUsual ? [] : [{ header: "Account", cell: ({ account }: Holder) => <AccountState state={account} /> }]),
  ]
}

/** While only Vouch moves a token, every account is frozen, so that is no news. */
const isUsualState = ({ transfer_mode }: TokenView, account: Holder["account"]): boolean =>
  transfer_mode === "agent" && (account === "frozen" || account === null)

type BalanceProps = { of: Holder; token: TokenView; places: number }

function Balance({ of, token, places }: BalanceProps) {
  const { wallet, held, available, incoming, outgoing, reopenings } = of
  const moving = [incoming !== "0" && `+${grouped(incoming)}`, outgoing !== "0" && `−${grouped(outgoing)}`].filter(
    Boolean,
  )
  return (
    <>
      {groupedTo(places, shownBalance(token, of))}
      <HeldNote of={{ mint_config: token.id, wallet }} held={held} available={available} />
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
