import { clsx } from "clsx"
import { parseAsStringLiteral } from "nuqs"
import { useState } from "react"
import type { TokenView } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { ExportCsv } from "#app/(dashboard)/exports.tsx"
import { choice, person } from "#app/(dashboard)/filters.tsx"
import { List, useList } from "#app/(dashboard)/list.tsx"
import { moment } from "#app/(dashboard)/moment-filter.tsx"
import { InvestorLink, type RouterOutputs, To, useQuery } from "#app/(dashboard)/workspace.tsx"
import { Copyable } from "#app/components/code.tsx"
import type { Column } from "#app/components/data-table.tsx"
import { Empty, Failed } from "#app/components/frame.tsx"
import { Icon } from "#app/components/icons.tsx"
import { PREVIOUS_NEXT } from "#app/components/paging.tsx"
import { SubNote, SubRow } from "#app/components/sub-rows.tsx"
import { NOTHING, Timestamp } from "#app/components/timestamp.tsx"
import { grouped, groupedTo, placesOf, shareOf, toBaseUnits } from "#shared/amount.ts"
import { Freezes, Unverified, Verification } from "./register-flags.tsx"

type Page = RouterOutputs["token"]["registerView"]
type Row = Page["data"][number]

const filters = {
  q: person,
  at: moment("As of"),
  group: choice("Show", "By investor", [["wallet", "By wallet"]]),
  holders: choice("Holders", "All", [["unverified", "Not verified"]]),
  // The heads of the columns set it.
  order: { parser: parseAsStringLiteral(["smallest", "name", "name_reversed"]), Field: () => null },
}
type Order = "largest" | "smallest" | "name" | "name_reversed"

/** For more holders, adding up all of them would take too long for a list. */
const MOST_ORDERED = 20_000

/** Who held a token at a moment. */
export function Register({ token }: { token: TokenView }) {
  const isOrdered = token.holders <= MOST_ORDERED
  const list = useList("token.registerView", {
    filters,
    input: { mint_config: token.id, group: "investor", limit: 20, ...(isOrdered && { order: "largest" }) },
  })
  const { data } = list.query
  const { at, holders, q } = list.filtered.asked
  const { group = "investor", order = "largest" } = list.asked
  const setOrder = isOrdered
    ? (order: Order) => list.filtered.change({ order: order === "largest" ? null : order })
    : null
  const isOnePage = list.paging.isFirst && data?.next_cursor === null
  const isWhole = holders === undefined && q === undefined
  const isNow = at === undefined
  const counts = useQuery(
    "token.registerCounts",
    { mint_config: token.id, at: data?.as_of.time ?? "", group },
    { enabled: data !== undefined && !list.query.isPlaceholderData && data.supply !== "0" },
  )
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set())
  const toggle = (investor: string) =>
    setUnfolded((before) => {
      const after = new Set(before)
      if (!after.delete(investor)) after.add(investor)
      return after
    })
  const columns = columnsOf({
    ...{ token, register: data, isNow, isWhole, isOnePage, order, setOrder },
    ...{ unfolded, toggle },
  })
  return (
    <List
      list={list}
      caption="Register"
      things="holders"
      columns={columns}
      below={({ investor_id, wallet }) =>
        data &&
        investor_id !== null &&
        wallet === null &&
        unfolded.has(investor_id) && (
          <WalletRows
            of={{ mint_config: token.id, at: data.as_of.time, investor: investor_id }}
            columns={walletColumns(columns)}
          />
        )
      }
      total={q === undefined ? counts.data?.[holders === undefined ? "holders" : "unverified"] : undefined}
      rowKey={({ user_pubkey, investor_id }) => user_pubkey ?? investor_id!}
      pageNames={PREVIOUS_NEXT}
      noMatch={
        isWhole
          ? "No one held the token at that moment."
          : holders === undefined || q !== undefined
            ? "No such person or wallet held the token at that moment."
            : "Everyone who held the token at that moment was verified."
      }
      empty={<Empty title="No holders">No one held the token at the last moment that is final.</Empty>}
      afterFilters={<ExportCsv list="register" asked={{ mint_config: token.id, ...(at && { at }) }} />}
    >
      {data && (
        <p className="mb-3 text-[13px] text-muted">
          Who held {data.supply === "0" ? "any" : grouped(data.supply)} {token.symbol} at{" "}
          <Timestamp at={data.as_of.time} />. To act on a wallet’s tokens, open{" "}
          <To path={["tokens", token.id]} className="underline underline-offset-2">
            Holders
          </To>
          .
        </p>
      )}
      {data && data.supply !== "0" && (
        <Unverified
          query={counts}
          counted={group === "wallet" ? "holder" : "investor"}
          isNow={isNow}
          onShow={holders === undefined ? () => list.filtered.change({ holders: "unverified" }) : null}
        />
      )}
      {data && !data.complete && (
        <p role="status" className="mb-3 rounded-lg bg-notice-soft px-3 py-2 text-[13px] text-notice">
          Holders could move this token themselves. Some of these transfers may be missing.
        </p>
      )}
    </List>
  )
}

type ColumnsOf = {
  token: TokenView
  register: Page | undefined
  isNow: boolean
  /** Whether no holder is filtered out, so that the rows add up to the supply. */
  isWhole: boolean
  isOnePage: boolean
  order: Order
  /** Null if there are too many holders to order. */
  setOrder: ((order: Order) => void) | null
  /** The investors whose wallets are shown. */
  unfolded: ReadonlySet<string>
  toggle: (investor: string) => void
}

function columnsOf(about: ColumnsOf): Column<Row>[] {
  const { token, register, isNow, isWhole, isOnePage, order, setOrder, unfolded, toggle } = about
  const schema = register && isNow ? register.required_schema : null
  const total = isWhole ? register?.supply : undefined
  const places = placesOf([...(register?.data.map(({ balance }) => balance) ?? []), total ?? "0"])
  const directions = {
    largest: "descending",
    smallest: "ascending",
    name: "ascending",
    name_reversed: "descending",
  } as const
  const sort = (first: Order, second: Order) =>
    setOrder
      ? {
          direction: order === first || order === second ? directions[order] : null,
          onSort: () => setOrder(order === first ? second : first),
        }
      : undefined
  return [
    {
      header: "Investor",
      breaks: true,
      sort: sort("name", "name_reversed"),
      total: total && (isOnePage ? "Total" : "Total of all pages"),
      cell: ({ user_pubkey, investor_id, external_id }) =>
        investor_id === null ? (
          <Copyable value={user_pubkey!} what="wallet address" compact />
        ) : (
          <InvestorLink investor={{ investor_id, external_id }} />
        ),
      note: (row) => {
        const { wallet, investor_id, wallets } = row
        return (
          <>
            {investor_id !== null && wallet !== null && <Copyable value={wallet} what="wallet address" compact />}
            {investor_id !== null && wallet === null && (
              <button
                type="button"
                aria-expanded={unfolded.has(investor_id)}
                onClick={() => toggle(investor_id)}
                className="flex cursor-pointer items-center gap-1 rounded-sm py-0.5 hover:text-ink"
              >
                {grouped(String(wallets))} wallets
                <Icon name="chevron" className={clsx("size-3.5", unfolded.has(investor_id) && "rotate-180")} />
              </button>
            )}
            {register && <Freezes of={row} />}
          </>
        )
      },
    },
    {
      header: "Balance",
      align: "end",
      phone: "value",
      className: "whitespace-nowrap",
      sort: sort("largest", "smallest"),
      total: total && groupedTo(places, total),
      cell: ({ balance, held, available }) => (
        <>
          {groupedTo(places, balance)}
          {held !== "0" && (
            <span className="block text-xs text-muted">
              {grouped(held)} held, {grouped(available)} available
            </span>
          )}
        </>
      ),
    },
    {
      header: "Share",
      align: "end",
      phone: "labelled",
      className: "whitespace-nowrap",
      total: total && "100.00%",
      cell: ({ balance, percent }) => <Share of={balance} supply={register?.supply ?? "0"} {...{ token, percent }} />,
    },
    {
      header: "Verification",
      // On a phone, only what is unusual.
      phone: ({ unverified }) => (unverified === 0 ? "none" : "line"),
      cell: (row) => <Verification of={row} schema={schema} />,
    },
  ]
}

type ShareProps = { of: string; supply: string; token: TokenView; percent: string | null }

/** With two decimals; the file has eight. */
function Share({ of, supply, token: { decimals }, percent }: ShareProps) {
  const [part, whole] = [toBaseUnits(of, decimals), toBaseUnits(supply, decimals)]
  const shown = part === null || whole === null ? null : shareOf(part, whole)
  return shown === null ? NOTHING : <span title={`${percent}%`}>{shown}%</span>
}

/** The same columns for a wallet of an investor. */
const walletColumns = ([, ...others]: Column<Row>[]): Column<Row>[] => [
  {
    header: "Investor",
    cell: ({ user_pubkey }) => <Copyable value={user_pubkey!} what="wallet address" compact />,
    note: (row) => <Freezes of={row} />,
  },
  ...others,
]

/** The most wallets to show below an investor. */
const MOST_WALLETS = 100

type WalletRowsProps = { of: { mint_config: string; at: string; investor: string }; columns: Column<Row>[] }

/** An investor's wallets, which are read once they are asked for. */
function WalletRows({ of, columns }: WalletRowsProps) {
  const { data, error, refetch } = useQuery("token.registerView", { ...of, group: "wallet", limit: MOST_WALLETS })
  if (!data) {
    return (
      <SubNote columns={columns.length}>
        {error ? <Failed error={error} onRetry={refetch} /> : <span role="status">Loading the wallets…</span>}
      </SubNote>
    )
  }
  return (
    <>
      {data.data.map((row) => (
        <SubRow key={row.user_pubkey} columns={columns} row={row} />
      ))}
      {data.next_cursor && <SubNote columns={columns.length}>More are listed by wallet and in the file.</SubNote>}
    </>
  )
}
