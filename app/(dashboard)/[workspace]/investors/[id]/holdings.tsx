import { To } from "#app/(dashboard)/to.tsx"
import { Copyable } from "#app/components/code.tsx"
import { Badge, StatusBadge } from "#app/components/ui/badge.tsx"
import { grouped } from "#shared/amount.ts"
import type { InvestorView } from "./view.ts"

type Holding = InvestorView["tokens"][number]["wallets"][number]

/** What an investor holds of each token, in total and by wallet. */
export function Holdings({ investor: { tokens, chain_answered } }: { investor: InvestorView }) {
  if (tokens.length === 0) return <p className="text-muted">No tokens held.</p>
  return (
    <>
      {!chain_answered && (
        <p role="status" className="mb-3 rounded-lg bg-notice-soft px-3 py-2 text-[13px] text-notice">
          The chain is unreachable, so account states are not shown.
        </p>
      )}
      <ul className="-my-3 divide-y divide-line">
        {tokens.map(({ mint_config, name, symbol, total, wallets }) => (
          <li key={mint_config} className="py-3">
            <div className="flex flex-wrap items-baseline justify-between gap-x-4">
              <To path={["tokens", mint_config]} className="rounded-sm font-medium underline-offset-2 hover:underline">
                {name}
              </To>
              <span className="ml-auto font-medium tabular-nums">
                {grouped(total)} {symbol}
              </span>
            </div>
            <ul className="mt-1.5 space-y-1">
              {wallets.map((holding) => (
                <OfWallet key={holding.user_pubkey} holding={holding} />
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </>
  )
}

function OfWallet({ holding }: { holding: Holding }) {
  const { user_pubkey, balance, incoming, outgoing, account } = holding
  const moving = [incoming !== "0" && `+${grouped(incoming)}`, outgoing !== "0" && `−${grouped(outgoing)}`].filter(
    Boolean,
  )
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 text-[13px]">
      <span className="flex flex-wrap items-center gap-2">
        <Copyable value={user_pubkey} what="wallet" compact />
        {account === "absent" ? <Badge>No account yet</Badge> : account && <StatusBadge status={account} />}
      </span>
      <span className="ml-auto tabular-nums">
        {grouped(balance)}
        {moving.length > 0 && <span className="text-muted"> ({moving.join(", ")} on its way)</span>}
      </span>
    </li>
  )
}
