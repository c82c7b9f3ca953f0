import { lazy, Suspense } from "react"
import { NewTab } from "#app/components/new-tab.tsx"
import { Loading } from "#app/components/states.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Dialog, DialogTrigger, SheetContent } from "#app/components/ui/dialog.tsx"

/** Links to a transaction in a public explorer. If no explorer covers the network, opens it in a drawer. */
export function TransactionLink({ signature, explorer }: { signature: string; explorer: string | null }) {
  if (explorer !== null) {
    return (
      <Button asChild size="sm">
        <NewTab href={explorer.replace("{}", `tx/${signature}`)}>View in explorer</NewTab>
      </Button>
    )
  }
  return <TransactionDrawer signature={signature} />
}

// The drawer's content loads when it opens.
const Transaction = lazy(() => import("./transaction-details.tsx"))

function TransactionDrawer({ signature }: { signature: string }) {
  return (
    <Dialog>
      <DialogTrigger>
        <Button size="sm">Raw transaction</Button>
      </DialogTrigger>
      <SheetContent title="Transaction" description="As it was signed and sent. This network has no public explorer.">
        <Suspense fallback={<Loading what="Loading the transaction" lines={8} />}>
          <Transaction signature={signature} />
        </Suspense>
      </SheetContent>
    </Dialog>
  )
}
