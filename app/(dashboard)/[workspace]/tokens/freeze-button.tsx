import { lazy, Suspense, useState } from "react"
import { type FreezeAct, isFrozenForAll, type ServicedWallet } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Button } from "#app/components/ui/button.tsx"

const FreezeSheet = lazy(() => import("./[config]/freeze-sheet.tsx"))

/** Freezes a wallet for every token, or lifts that freeze. Nothing if the member's role does not allow it. */
export function FreezeButton({ of }: { of: ServicedWallet }) {
  const { can } = useWorkspace()
  const [doing, setDoing] = useState<FreezeAct | null>(null)
  if (!can("token:control")) return null
  const isFrozen = isFrozenForAll(of)
  const label = isFrozen ? "Unfreeze" : "Freeze"
  return (
    <>
      <Button size="xs" aria-label={`${label} ${of.wallet}`} onClick={() => setDoing(isFrozen ? "unfreeze" : "freeze")}>
        {label}
      </Button>
      {doing && (
        <Suspense>
          <FreezeSheet act={doing} of={of} onClose={() => setDoing(null)} />
        </Suspense>
      )}
    </>
  )
}
