import type { Ending, Hold } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { useMutation } from "#app/(dashboard)/workspace.tsx"
import { Confirm } from "#app/components/form-dialog.tsx"
import { Refused } from "#app/components/problem.ts"
import { notify } from "#app/components/toast.ts"
import { Dialog } from "#app/components/ui/dialog.tsx"
import { grouped } from "#shared/amount.ts"
import { ExecuteHold } from "./execute-hold.tsx"

type SheetProps = { ending: Ending; hold: Hold; symbol: string; onClose: () => void }

/** Ends a hold. */
export default function HoldSheet({ ending, ...about }: SheetProps) {
  return ending === "release" ? <Release {...about} /> : <Execute {...about} />
}

type EndingProps = Omit<SheetProps, "ending">

const Execute = ({ hold, symbol, onClose }: EndingProps) => (
  <Dialog
    kind="right"
    insists
    title={`Execute a hold of ${symbol}`}
    description="Moves all that it holds to another wallet without the holder’s consent. All rules bind the recipient, and none the sender."
    onClose={onClose}
  >
    <ExecuteHold hold={hold} />
  </Dialog>
)

function Release({ hold: { hold_id: id, remaining }, symbol, onClose }: EndingProps) {
  const release = useMutation((api) => api.hold.release.mutate({ id }, { context: { respondAsync: true } }))
  const amount = `${grouped(remaining)} ${symbol}`
  return (
    <Confirm
      title={`Release ${amount}?`}
      description="The hold ends, and the tokens can be moved again."
      confirm="Release"
      danger={false}
      onClose={onClose}
      onConfirm={async () => {
        const { status, approval_id } = await release.mutateAsync()
        if (status === "awaiting_approval")
          throw new Refused("Another member must approve this. Until then, the tokens stay held.", approval_id!)
        notify(status === "confirmed" ? `${amount} released` : `The release of ${amount} is on its way`)
      }}
    />
  )
}
