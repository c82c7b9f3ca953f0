import { type TokenView, useBalance } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { Shortened } from "#app/components/code.tsx"
import { Skeleton } from "#app/components/frame.tsx"
import { NOTHING } from "#app/components/timestamp.tsx"
import { fromBaseUnits, grouped, toBaseUnits } from "#shared/amount.ts"

type BalancesProps = { token: TokenView; from: string; to: string | null; amount: string }

/** What the wallets hold on chain now, and what they will hold afterwards. */
export function Balances({ token, from, to, amount }: BalancesProps) {
  const units = toBaseUnits(amount, token.decimals)
  return (
    <table className="w-full text-left text-[13px] tabular-nums">
      <caption className="sr-only">Balances in {token.symbol}</caption>
      <thead className="text-muted">
        <tr>
          <th scope="col" className="pb-1 font-normal">
            Balance of
          </th>
          <th scope="col" className="pb-1 text-right font-normal">
            Before
          </th>
          <th scope="col" className="pb-1 text-right font-normal">
            After
          </th>
        </tr>
      </thead>
      <tbody className="divide-y divide-line border-y border-line">
        <Row token={token} wallet={from} change={units && -units} />
        {to !== null && to !== from && <Row token={token} wallet={to} change={units} />}
      </tbody>
    </table>
  )
}

type RowProps = { token: TokenView; wallet: string; change: bigint | null }

function Row({ token: { id, decimals }, wallet, change }: RowProps) {
  const { data, error } = useBalance(id, wallet)
  const before = data ? toBaseUnits(data.amount, decimals) : null
  const after = before !== null && change !== null && before + change >= 0n ? before + change : null
  return (
    <tr>
      <th scope="row" className="py-1.5 font-normal">
        <Shortened value={wallet} />
      </th>
      <td className="py-1.5 text-right">
        {before === null ? (
          error ? (
            "Unknown"
          ) : (
            <Skeleton className="ml-auto h-3.5 w-12 rounded" />
          )
        ) : (
          shown(before, decimals)
        )}
      </td>
      <td className="py-1.5 text-right font-medium">{after === null ? NOTHING : shown(after, decimals)}</td>
    </tr>
  )
}

const shown = (units: bigint, decimals: number): string => grouped(fromBaseUnits(units, decimals))
