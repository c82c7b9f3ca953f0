import { ArrowRightLeft, LockOpen } from "lucide-react"
import { lazy, Suspense, useState } from "react"
import type { Ending, Hold } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { MenuItem } from "#app/components/ui/menu.tsx"
import { MoreMenu } from "#app/components/ui/more-menu.tsx"
import { grouped } from "#shared/amount.ts"

const Sheet = lazy(() => import("./[config]/hold-sheet.tsx"))

/**
 * The menu of a hold, null if the member's role allows no action, and the sheet that it opens. The sheet belongs to the
 * list, because a hold that was executed disappears from it.
 */
export function useHoldActions() {
  const { can } = useWorkspace()
  const [doing, setDoing] = useState<{ ending: Ending; hold: Hold; symbol: string } | null>(null)
  return {
    menuOf: can("token:control")
      ? (hold: Hold, symbol: string) =>
          hold.state === "active" && hold.remaining !== "0" ? (
            <HoldMenu hold={hold} symbol={symbol} onSelect={(ending) => setDoing({ ending, hold, symbol })} />
          ) : null
      : null,
    sheet: doing && (
      <Suspense>
        <Sheet {...doing} onClose={() => setDoing(null)} />
      </Suspense>
    ),
  }
}

type HoldMenuProps = { hold: Hold; symbol: string; onSelect: (ending: Ending) => void }

const HoldMenu = ({ hold: { remaining, reference }, symbol, onSelect }: HoldMenuProps) => (
  <MoreMenu size="icon-sm" label={`Actions for the hold of ${grouped(remaining)} ${symbol}, ${reference}`}>
    <MenuItem onSelect={() => onSelect("release")}>
      <LockOpen aria-hidden="true" />
      Release
    </MenuItem>
    <MenuItem danger onSelect={() => onSelect("execute")}>
      <ArrowRightLeft aria-hidden="true" />
      Execute
    </MenuItem>
  </MoreMenu>
)
