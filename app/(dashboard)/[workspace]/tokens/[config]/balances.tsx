import { type TokenView, useBalance } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { useQuery } from "#app/(dashboard)/workspace.tsx"
import { Shortened } from "#app/components/code.tsx"
import { Skeleton } from "#app/components/frame.tsx"
import { NOTHING } from "#app/components/timestamp.tsx"
import { fromBaseUnits, grouped, toBaseUnits } from "#shared/amount.ts"

/** What changes for a wallet, in base units; null if it is not known yet. `name` is that of its owner. */
export type Change = {
  wallet: string
  name?: string
  /** Its owner's id. With a name, a row adds up all wallets of the owner. */
  investor?: string
  balance: bigint | null
  held?: bigint | null
}
type Token = Pick<TokenView, "id" | "symbol" | "decimals">

/** What the wallets hold on chain now, and what they will hold afterwards. */
export const Balances = ({ token, changes }: { token: Token; changes: Change[] }) => (
  <table className="w-full text-left text-[13px] tabular-nums">
    <caption className="sr-only">Balances in {token.symbol}</caption>
    <thead className="text-muted">
      <tr>
        <th scope="col" className="pb-1 font-normal">
          Balance in {token.symbol}
        </th>
        <th scope="col" className="pb-1 pl-2 text-right font-normal whitespace-nowrap">
          Before
        </th>
        <th scope="col" className="pb-1 pl-2 text-right font-normal whitespace-nowrap">
          After
        </th>
      </tr>
    </thead>
    <tbody className="divide-y divide-line border-y border-line">
      {changes.map((change) => (
        <OfWallet key={change.wallet} token={token} change={change} />
      ))}
      {[...new Set(changes.flatMap(({ investor }) => investor ?? []))].map((investor) => (
        <OfInvestor key={investor} id={investor} token={token} changes={changes} />
      ))}
    </tbody>
  </table>
)

type OfWalletProps = { token: Token; change: Change }

/** Its balance and, if holds are involved, how much of it they leave. */
function OfWallet({ token: { id, decimals }, change: { wallet, name, balance, held } }: OfWalletProps) {
  const { data, error } = useBalance(id, wallet)
  const units = (amount: string | undefined) => (amount === undefined ? null : toBaseUnits(amount, decimals))
  const isBroken = error !== null
  const row = (name: "amount" | "available" | "held", by: bigint | null) => ({
    before: units(data?.[name]),
    by,
    decimals,
    isBroken,
  })
  const hasHolds = held !== undefined || (data !== undefined && data.held !== "0")
  const heldBy = held ?? (held === null ? null : 0n)
  return (
    <>
      <Row
        name={
          <span className="flex flex-wrap items-baseline gap-x-2">
            {name}
            <span className={name === undefined ? undefined : "text-muted"}>
              <Shortened value={wallet} />
            </span>
          </span>
        }
        {...row("amount", balance)}
      />
      {hasHolds && (
        <>
          <Row
            name="Available"
            isPart
            {...row("available", balance === null || heldBy === null ? null : balance - heldBy)}
          />
          <Row name="Held" isPart {...row("held", heldBy)} />
        </>
      )}
    </>
  )
}

type OfInvestorProps = { id: string; token: Token; changes: Change[] }

/** What all wallets of an investor hold, if there are several: limits may apply to the sum. */
function OfInvestor({ id, token, changes }: OfInvestorProps) {
  const { data } = useQuery("investor.view", { id })
  const theirs = changes.filter(({ investor }) => investor === id)
  const name = theirs[0]?.name
  if (!data || name === undefined) return null
  const held = data.tokens.find(({ mint_config }) => mint_config === token.id)
  const wallets = new Set([
    ...(held?.wallets.map(({ user_pubkey }) => user_pubkey) ?? []),
    ...theirs.map(({ wallet }) => wallet),
  ])
  if (wallets.size < 2) return null
  return (
    <Row
      name={`All wallets of ${name}`}
      before={toBaseUnits(held?.total ?? "0", token.decimals)}
      by={theirs.reduce<bigint | null>(
        (sum, { balance }) => (sum === null || balance === null ? null : sum + balance),
        0n,
      )}
      decimals={token.decimals}
      isBroken={false}
    />
  )
}

type RowProps = {
  name: React.ReactNode
  before: bigint | null
  by: bigint | null
  decimals: number
  isBroken: boolean
  /** A part of the amount above it. */
  isPart?: boolean
}

function Row({ name, before, by, decimals, isBroken, isPart = false }: RowProps) {
  const after = before !== null && by !== null && before + by >= 0n ? before + by : null
  return (
    <tr className={isPart ? "text-muted" : undefined}>
      <th scope="row" className={`py-1.5 font-normal wrap-anywhere ${isPart ? "pl-3" : ""}`}>
        {name}
      </th>
      <td className="py-1.5 pl-2 text-right whitespace-nowrap">
        {before === null ? (
          isBroken ? (
            "Unknown"
          ) : (
            <Skeleton className="ml-auto h-3.5 w-12 rounded" />
          )
        ) : (
          shown(before, decimals)
        )}
      </td>
      <td className={`py-1.5 pl-2 text-right whitespace-nowrap ${isPart ? "" : "font-medium"}`}>
        {after === null ? NOTHING : shown(after, decimals)}
      </td>
    </tr>
  )
}

const shown = (units: bigint, decimals: number): string => grouped(fromBaseUnits(units, decimals))
