import { Coins, Flame, Gavel, Layers, Lock, Snowflake, Sun } from "lucide-react"
import { lazy, Suspense, useState } from "react"
import {
  type Act,
  type FreezeAct,
  isFrozenForAll,
  type Serviced,
} from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { usePath, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { MenuItem } from "#app/components/ui/menu.tsx"
import { MenuLink } from "#app/components/ui/menu-link.tsx"
import { MoreMenu } from "#app/components/ui/more-menu.tsx"

const LotsSheet = lazy(() => import("./[config]/lots-sheet.tsx"))
const Sheet = lazy(() => import("./[config]/servicing-sheet.tsx"))
const FreezeSheet = lazy(() => import("./[config]/freeze-sheet.tsx"))

type Item = [label: string, Picture: typeof Flame, isOffered?: (of: Serviced) => boolean]

type Entry = "lots" | Act | FreezeAct

/** What every member can see of a wallet's tokens, and what one with the permission can do with them, in this order. */
const items: Record<Entry, Item> = {
  lots: ["Lots", Layers],
  burn: ["Redeem", Flame],
  force_transfer: ["Force transfer", Gavel],
  freeze: ["Freeze", Snowflake, (of) => !isFrozenForAll(of)],
  unfreeze: ["Unfreeze", Sun, ({ freezes }) => freezes.length > 0],
  hold: ["Hold", Lock],
}

/**
 * The menu of a holder's row, and the sheet that it opens. The sheet belongs to the list, because the row of a wallet that
 * was emptied disappears.
 */
export function useServicing() {
  const { can } = useWorkspace()
  const [doing, setDoing] = useState<{ act: Entry; of: Serviced } | null>(null)
  const allowed = (Object.keys(items) as Entry[]).filter(
    (act) => act === "lots" || can(act === "burn" ? "token:burn" : "token:control"),
  )
  const about = doing && { of: doing.of, onClose: () => setDoing(null) }
  return {
    /** Opens the sheet without the menu. */
    open: (act: Entry, of: Serviced) => setDoing({ act, of }),
    menuOf: (of: Serviced) => <ServicingMenu allowed={allowed} of={of} onSelect={(act) => setDoing({ act, of })} />,
    sheet: about && (
      <Suspense>
        {doing.act === "lots" ? (
          <LotsSheet {...about} />
        ) : doing.act === "freeze" || doing.act === "unfreeze" ? (
          <FreezeSheet {...about} act={doing.act} />
        ) : (
          <Sheet {...about} act={doing.act} />
        )}
      </Suspense>
    ),
  }
}

type MenuProps = { allowed: Entry[]; of: Serviced; onSelect: (act: Entry) => void }

function ServicingMenu({ allowed, of, onSelect }: MenuProps) {
  const { can } = useWorkspace()
  const path = usePath()
  return (
    <MoreMenu size="icon-sm" label={`Actions for ${of.symbol} of ${of.wallet}`}>
      {can("token:mint") && (
        <MenuLink
          href={`${path("tokens", of.mint_config)}?${new URLSearchParams({ form: "mint", wallet: of.wallet })}`}
        >
          <Coins aria-hidden="true" />
          Mint
        </MenuLink>
      )}
      {allowed.map((act) => {
        const [label, Picture, isOffered] = items[act]
        return (
          isOffered?.(of) !== false && (
            <MenuItem key={act} danger={act !== "lots" && act !== "unfreeze"} onSelect={() => onSelect(act)}>
              <Picture aria-hidden="true" />
              {label}
            </MenuItem>
          )
        )
      })}
    </MoreMenu>
  )
}
