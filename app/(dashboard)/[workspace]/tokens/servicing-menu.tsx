import { Ellipsis, Flame, Gavel, Lock } from "lucide-react"
import { lazy, Suspense, useState } from "react"
import type { Act, Serviced } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Menu, MenuItem } from "#app/components/ui/menu.tsx"
import type { Permission } from "#shared/scopes.ts"

const Sheet = lazy(() => import("./[config]/servicing-sheet.tsx"))

/** What a member with the permission can do with the tokens of any wallet. */
const acts = {
  burn: { needs: "token:burn", label: "Redeem", Picture: Flame },
  force_transfer: { needs: "token:control", label: "Force transfer", Picture: Gavel },
  hold: { needs: "token:control", label: "Hold", Picture: Lock },
} as const satisfies Record<Act, { needs: Permission } & Record<string, unknown>>

/**
 * The menu of a holder's row, null if the member's role allows no action, and the sheet that it opens. The sheet belongs
 * to the list, because the row of a wallet that was emptied disappears.
 */
export function useServicing() {
  const { can } = useWorkspace()
  const [doing, setDoing] = useState<{ act: Act; of: Serviced } | null>(null)
  const allowed = (Object.keys(acts) as Act[]).filter((act) => can(acts[act].needs))
  return {
    menuOf:
      allowed.length === 0
        ? null
        : (of: Serviced) => <ServicingMenu allowed={allowed} of={of} onSelect={(act) => setDoing({ act, of })} />,
    sheet: doing && (
      <Suspense>
        <Sheet {...doing} label={acts[doing.act].label} onClose={() => setDoing(null)} />
      </Suspense>
    ),
  }
}

type MenuProps = { allowed: Act[]; of: Serviced; onSelect: (act: Act) => void }

const ServicingMenu = ({ allowed, of: { symbol, wallet }, onSelect }: MenuProps) => (
  <Menu
    trigger={
      <Button variant="ghost" size="icon-sm" aria-label={`Actions for ${symbol} of ${wallet}`}>
        <Ellipsis aria-hidden="true" />
      </Button>
    }
  >
    {allowed.map((act) => {
      const { label, Picture } = acts[act]
      return (
        <MenuItem key={act} danger onSelect={() => onSelect(act)}>
          <Picture aria-hidden="true" />
          {label}
        </MenuItem>
      )
    })}
  </Menu>
)
