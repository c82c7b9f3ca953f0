import { lazy, Suspense, useState } from "react"
import type { LostWallet } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Button } from "#app/components/ui/button.tsx"

const ReportLost = lazy(() => import("./report-lost.tsx"))

/** Reports a wallet as lost. Nothing if the member's role does not allow it. */
export function ReportLostButton(of: LostWallet) {
  const { can } = useWorkspace()
  const [isOpen, setOpen] = useState(false)
  if (!can("investor:recover")) return null
  return (
    <>
      <Button size="xs" aria-label={`Report ${of.wallet} as lost`} onClick={() => setOpen(true)}>
        Report as lost…
      </Button>
      {isOpen && (
        <Suspense>
          <ReportLost of={of} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
