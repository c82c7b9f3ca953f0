import { Ellipsis, Flame, Gavel } from "lucide-react"
import { lazy, Suspense, useState } from "react"
import type { Act, Serviced } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Loading } from "#app/components/frame.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Dialog } from "#app/components/ui/dialog.tsx"
import { Menu, MenuItem } from "#app/components/ui/menu.tsx"
import type { Permission } from "#shared/scopes.ts"

const Servicing = lazy(() => import("./[config]/servicing.tsx"))

/** What a member with the permission can do with the tokens of any wallet. */
const acts = {
  burn: {
    needs: "token:burn",
    label: "Redeem",
    Picture: Flame,
    title: (symbol: string) => `Redeem ${symbol}`,
    description:
      "Burns tokens of this wallet: they are destroyed, and the supply falls. No rule about the holder stops it.",
  },
  force_transfer: {
    needs: "token:control",
    label: "Force transfer",
    Picture: Gavel,
    title: (symbol: string) => `Force a transfer of ${symbol}`,
    description:
      "Moves tokens out of this wallet without its holder. All rules bind the recipient, and none the sender.",
  },
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
    sheet: doing && <Sheet {...doing} onClose={() => setDoing(null)} />,
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

function Sheet({ act, of, onClose }: { act: Act; of: Serviced; onClose: () => void }) {
  const { title, description, label } = acts[act]
  return (
    <Dialog kind="right" insists title={title(of.symbol)} description={description} onClose={onClose}>
      <Suspense fallback={<Loading what="Loading the form" />}>
        <Servicing act={act} label={label} of={of} />
      </Suspense>
    </Dialog>
  )
}
