import type { Act, Serviced } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { Dialog } from "#app/components/ui/dialog.tsx"
import { PlaceHold } from "./place-hold.tsx"
import { Servicing } from "./servicing.tsx"

export const copy = {
  burn: {
    title: (symbol) => `Redeem ${symbol}`,
    description:
      "Destroys tokens of this wallet, so the supply falls. It works even if the holder is not verified or frozen.",
  },
  force_transfer: {
    title: (symbol) => `Force a transfer of ${symbol}`,
    description:
      "Moves tokens out of this wallet without the holder’s consent. All rules bind the recipient, and none the sender.",
  },
  hold: {
    title: (symbol) => `Hold ${symbol}`,
    description:
      "Keeps tokens of this wallet where they are until you release or execute the hold, or until it expires. The wallet can still receive tokens.",
  },
} satisfies Record<Act, { title: (symbol: string) => string; description: string }>

type SheetProps = { act: Act; of: Serviced; onClose: () => void }

/** What to do with a wallet's tokens. */
export default function ServicingSheet({ act, of, onClose }: SheetProps) {
  const { title, description } = copy[act]
  return (
    <Dialog kind="right" insists title={title(of.symbol)} description={description} onClose={onClose}>
      {act === "hold" ? <PlaceHold of={of} /> : <Servicing act={act} of={of} />}
    </Dialog>
  )
}
