import { lazy, type ReactNode, Suspense } from "react"
import { useHoldActions } from "#app/(dashboard)/[workspace]/tokens/hold-actions.tsx"
import { useServicing } from "#app/(dashboard)/[workspace]/tokens/servicing-menu.tsx"
import { FreezeNote } from "#app/(dashboard)/freeze-note.tsx"
import { HeldNote } from "#app/(dashboard)/held-note.tsx"
import { type RouterOutputs, To } from "#app/(dashboard)/workspace.tsx"
import { Badge, StatusBadge } from "#app/components/badge.tsx"
import { Copyable } from "#app/components/code.tsx"
import { grouped, groupedTo, placesOf } from "#shared/amount.ts"
import type { TransferMode } from "#shared/transfer-modes.ts"

type InvestorView = RouterOutputs["investor"]["view"]
type Holding = InvestorView["tokens"][number]["wallets"][number]

const placesIn = ({ total, wallets }: Pick<InvestorView["tokens"][number], "total" | "wallets">): number =>
  placesOf([total, ...wallets.map(({ balance }) => balance)])

export function Holdings({ investor }: { investor: InvestorView }) {
  const { tokens, chain_answered } = investor
  const { menuOf, sheet } = useServicing()
  const holds = useHoldActions()
  return (
    <>
      {sheet}
      {holds.sheet}
      {!chain_answered && (
        <p role="status" className="mb-3 rounded-lg bg-notice-soft px-3 py-2 text-[13px] text-notice">
          The chain is unreachable, so account states are not shown.
        </p>
      )}
      {tokens.length === 0 ? (
        <p className="text-muted">No tokens held.</p>
      ) : (
        <ul className="-my-3 divide-y divide-line">
          {tokens.map(({ mint_config, name, symbol, transfer_mode, total, wallets }) => (
            <li key={mint_config} className="py-3">
              <div className="flex flex-wrap items-baseline justify-between gap-x-4">
                <To
                  path={["tokens", mint_config]}
                  className="rounded-sm font-medium underline-offset-2 hover:underline"
                >
                  {name}
                </To>
                <span className="ml-auto font-medium tabular-nums">
                  {groupedTo(placesIn({ total, wallets }), total)} {symbol}
                </span>
              </div>
              <ul className="mt-1.5 space-y-1">
                {wallets.map((holding) => (
                  <OfWallet
                    key={holding.user_pubkey}
                    holding={holding}
                    of={{ mint_config, symbol, transfer_mode, places: placesIn({ total, wallets }) }}
                    holdMenuOf={holds.menuOf}
                  >
                    {menuOf({
                      ...{ mint_config, symbol, wallet: holding.user_pubkey, investor },
                      freezes: holding.freezes,
                    })}
                  </OfWallet>
                ))}
              </ul>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

const WalletHolds = lazy(async () => ({
  default: (await import("#app/(dashboard)/[workspace]/tokens/[config]/hold-list.tsx")).WalletHolds,
}))

type OfWalletProps = {
  holding: Holding
  /** `places` are the digits after the point of all its amounts. */
  of: { mint_config: string; symbol: string; transfer_mode: TransferMode; places: number }
  holdMenuOf: ReturnType<typeof useHoldActions>["menuOf"]
  children: ReactNode
}

/** Accounts of tokens that only Vouch moves are always frozen, which says nothing about the wallet. */
function OfWallet({ holding, of, holdMenuOf, children }: OfWalletProps) {
  const { user_pubkey: wallet, balance, held, available, incoming, outgoing, account, freezes, bar } = holding
  const moving = [incoming !== "0" && `+${grouped(incoming)}`, outgoing !== "0" && `−${grouped(outgoing)}`].filter(
    Boolean,
  )
  return (
    <li className="text-[13px]">
      <div className="flex items-center justify-between gap-x-4">
        <span className="flex min-w-0 flex-col items-start gap-x-2 gap-y-1 sm:flex-row sm:flex-wrap sm:items-center">
          <Copyable value={wallet} what="wallet" compact />
          {account === "absent" ? (
            <Badge>No account yet</Badge>
          ) : (
            account && !(account === "frozen" && of.transfer_mode === "agent") && <StatusBadge status={account} />
          )}
          {bar && <Badge tone="notice">Lost</Badge>}
          <FreezeNote freezes={freezes} />
        </span>
        <span className="flex max-w-1/2 shrink-0 items-center gap-2 tabular-nums">
          <span className="text-right">
            {groupedTo(of.places, balance)}
            {moving.length > 0 && <span className="text-muted"> ({moving.join(", ")} on its way)</span>}
            <HeldNote of={{ ...of, wallet }} held={held} available={available} />
          </span>
          {children}
        </span>
      </div>
      {held !== "0" && (
        <Suspense>
          <WalletHolds of={{ ...of, wallet }} menuOf={holdMenuOf} />
        </Suspense>
      )}
    </li>
  )
}
