import { lazy, Suspense } from "react"
import { Loading } from "#app/components/frame.tsx"
import { NewTab } from "#app/components/link.tsx"
import { Button, buttonLook } from "#app/components/ui/button.tsx"
import { Dialog } from "#app/components/ui/dialog.tsx"

/** Links to a transaction in a public explorer. If no explorer covers the network, opens it in a drawer. */
export function TransactionLink({ signature, explorer }: { signature: string; explorer: string | null }) {
  if (explorer !== null) {
    return (
      <NewTab href={explorer.replace("{}", `tx/${signature}`)} className={buttonLook({ size: "sm" })}>
        View in explorer
      </NewTab>
    )
  }
  return <TransactionDrawer signature={signature} />
}

// The drawer's content loads when it opens.
const Transaction = lazy(() => import("./transaction-details.tsx"))

const TransactionDrawer = ({ signature }: { signature: string }) => (
  <Dialog
    kind="right"
    trigger={<Button size="sm">Raw transaction</Button>}
    title="Transaction"
    description="As it was signed and sent. This network has no public explorer."
  >
    <Suspense fallback={<Loading what="Loading the transaction" lines={8} />}>
      <Transaction signature={signature} />
    </Suspense>
  </Dialog>
)
