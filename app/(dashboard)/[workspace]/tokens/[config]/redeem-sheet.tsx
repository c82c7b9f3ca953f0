import { useState } from "react"
import type { Holder, Serviced, TokenView } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { PersonPicker } from "#app/(dashboard)/person-picker.tsx"
import { useQuery } from "#app/(dashboard)/workspace.tsx"
import { Loaded } from "#app/components/frame.tsx"
import { Dialog } from "#app/components/ui/dialog.tsx"
import { isAddress } from "#shared/address.ts"
import { Servicing } from "./servicing.tsx"
import { copy } from "./servicing-sheet.tsx"

type RedeemSheetProps = { token: TokenView; onClose: () => void }

/** Redeems tokens of a holder who is chosen first. */
export default function RedeemSheet({ token, onClose }: RedeemSheetProps) {
  const { id: mint_config, symbol } = token
  const [text, setText] = useState("")
  const wallet = text.trim()
  const isChosen = isAddress(wallet)
  const holders = useQuery("token.holders", { mint_config, q: wallet, limit: 1 }, { enabled: isChosen })
  const found = isChosen ? holders.data?.data[0] : undefined
  // Kept while its form is open: once everything is redeemed, the wallet is no longer listed.
  const [kept, setKept] = useState<Holder | null>(null)
  if (found && found !== kept) setKept(found)
  const holder = found ?? (kept?.wallet === wallet ? kept : undefined)
  const [sent, setSent] = useState<Serviced | null>(null)
  const of = sent ?? (holder && { ...holder, mint_config, symbol })
  return (
    <Dialog kind="right" insists title={copy.burn.title(symbol)} description={copy.burn.description} onClose={onClose}>
      <div className="space-y-5">
        {sent === null && (
          <PersonPicker
            name="holder"
            label="Whose tokens"
            value={text}
            onChange={setText}
            of={{ mint_config }}
            problem={
              isChosen && !holder && holders.data?.data.length === 0
                ? `This wallet holds no ${symbol}. Choose a holder.`
                : undefined
            }
          />
        )}
        {of ? (
          <Servicing key={of.wallet} act="burn" of={of} onSent={() => setSent(of)} />
        ) : (
          isChosen && (
            <Loaded query={holders} what="the holder">
              {() => null}
            </Loaded>
          )
        )}
      </div>
    </Dialog>
  )
}
