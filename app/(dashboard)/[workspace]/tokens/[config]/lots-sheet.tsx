import type { Serviced } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { type RouterOutputs, useQuery } from "#app/(dashboard)/workspace.tsx"
import { Badge } from "#app/components/badge.tsx"
import { Shortened } from "#app/components/code.tsx"
import { Loaded } from "#app/components/frame.tsx"
import { NOTHING, Timestamp } from "#app/components/timestamp.tsx"
import { Dialog } from "#app/components/ui/dialog.tsx"
import { groupedTo, placesOf } from "#shared/amount.ts"
import { exemptionNames } from "#shared/lots.ts"

type Lots = RouterOutputs["token"]["lots"]

/** The most that one request returns. Few wallets have more. */
const SHOWN = 100

type SheetProps = { of: Serviced; onClose: () => void }

/** When and under which exemption a wallet acquired what it holds. */
export default function LotsSheet({ of: { mint_config, symbol, wallet }, onClose }: SheetProps) {
  const lots = useQuery("token.lots", { mint_config, pubkey: wallet, limit: SHOWN })
  return (
    <Dialog
      kind="right"
      title={`Lots of ${symbol}`}
      description="When this wallet acquired its tokens, the oldest first. Transfers take them in this order."
      onClose={onClose}
    >
      <p className="mb-3 text-[13px] text-muted">
        Wallet <Shortened value={wallet} />
      </p>
      <Loaded query={lots} what="the lots" lines={4}>
        {(page) => <LotTable lots={page} symbol={symbol} />}
      </Loaded>
    </Dialog>
  )
}

function LotTable({ lots: { data, next_cursor }, symbol }: { lots: Lots; symbol: string }) {
  if (data.length === 0) return <p className="text-[13px] text-muted">This wallet has no tokens in Vouch’s books.</p>
  const places = placesOf(data.map(({ amount }) => amount))
  return (
    <>
      <table className="w-full text-left text-[13px] tabular-nums">
        <caption className="sr-only">Lots of {symbol}</caption>
        <thead className="text-muted">
          <tr>
            <th scope="col" className="pb-1 font-normal">
              Acquired
            </th>
            <th scope="col" className="pb-1 text-right font-normal">
              Amount
            </th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line border-y border-line">
          {data.map(({ lot_id, amount, acquired_at, exemption, locked, locked_until }) => (
            <tr key={lot_id}>
              <td className="py-2 pr-3">
                {acquired_at === null ? NOTHING : <Timestamp at={acquired_at} />}
                <span className="block text-muted">
                  {exemption === "none" ? "No exemption recorded" : exemptionNames[exemption]}
                </span>
              </td>
              <td className="py-2 text-right align-top">
                {groupedTo(places, amount)}
                {locked && (
                  <span className="mt-1 block">
                    <Badge tone="notice">
                      {locked_until === null ? (
                        "Locked, end unknown"
                      ) : (
                        <>
                          Locked until <Timestamp at={locked_until} />
                        </>
                      )}
                    </Badge>
                  </span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {next_cursor !== null && (
        <p className="mt-3 text-[13px] text-muted">
          The oldest {SHOWN} are shown. The API lists all: <code>GET /token/lots/{"{pubkey}"}</code>.
        </p>
      )}
    </>
  )
}
