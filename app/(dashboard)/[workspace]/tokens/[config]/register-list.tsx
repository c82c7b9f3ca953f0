import type { TokenView } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { ExportCsv } from "#app/(dashboard)/exports.tsx"
import { moment } from "#app/(dashboard)/filters.tsx"
import { List, useList } from "#app/(dashboard)/list.tsx"
import { InvestorLink, type RouterOutputs } from "#app/(dashboard)/workspace.tsx"
import { Copyable } from "#app/components/code.tsx"
import type { Column } from "#app/components/data-table.tsx"
import { Empty } from "#app/components/frame.tsx"
import { NOTHING, Timestamp } from "#app/components/timestamp.tsx"
import { grouped } from "#shared/amount.ts"

type Row = RouterOutputs["token"]["registerAt"]["data"][number]

const filters = { at: moment("At") }

/** Who held a token at a moment, by address. */
export function Register({ token }: { token: TokenView }) {
  const list = useList("token.registerAt", { filters, input: { mint_config: token.id, limit: 20 } })
  const { data } = list.query
  return (
    <List
      list={list}
      caption="Register"
      things="holders"
      columns={columns}
      rowKey={({ user_pubkey }) => user_pubkey!}
      pageNames={{ back: "Previous", on: "Next" }}
      noMatch="No one held the token at that moment."
      empty={<Empty title="No holders">No one held the token at the last moment that is final.</Empty>}
      afterFilters={<ExportCsv list="register" asked={{ mint_config: token.id, ...list.filtered.asked }} />}
    >
      {data && (
        <p className="mb-3 text-[13px] text-muted">
          {grouped(data.supply)} {token.symbol} existed at <Timestamp at={data.as_of.time} />. Everything up to the end
          of that second counts.
        </p>
      )}
      {data && !data.complete && (
        <p role="status" className="mb-3 rounded-lg bg-notice-soft px-3 py-2 text-[13px] text-notice">
          Holders could move this token themselves. The register does not show those transfers.
        </p>
      )}
    </List>
  )
}

const columns: Column<Row>[] = [
  { header: "Wallet", cell: ({ user_pubkey }) => <Copyable value={user_pubkey!} what="wallet address" compact /> },
  {
    header: "Balance",
    align: "end",
    className: "whitespace-nowrap",
    cell: ({ balance, held }) => (
      <>
        {grouped(balance)}
        {held !== "0" && <span className="block text-xs text-muted">{grouped(held)} held</span>}
      </>
    ),
  },
  {
    header: "Share",
    align: "end",
    className: "whitespace-nowrap",
    cell: ({ percent }) => (percent === null ? NOTHING : `${percent} %`),
  },
  {
    header: "Investor now",
    wideOnly: true,
    breaks: true,
    cell: ({ investor_id, external_id }) =>
      investor_id === null ? NOTHING : <InvestorLink investor={{ investor_id, external_id }} />,
  },
]
