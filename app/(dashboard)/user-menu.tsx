import { lazy, Suspense } from "react"
import { Button } from "#app/components/ui/button.tsx"
import { Menu } from "#app/components/ui/menu.tsx"
import type { UserMenuProps } from "./user-menu-items.tsx"

// Not part of a page's first scripts: no page needs it to be read.
const UserMenuItems = lazy(async () => ({ default: (await import("./user-menu-items.tsx")).UserMenuItems }))

export const UserMenu = (props: UserMenuProps) => (
  <Menu
    trigger={
      <Button variant="ghost" size="round" aria-label={`Account of ${props.me.user.name}`}>
        <span
          aria-hidden="true"
          className="flex size-7 items-center justify-center rounded-full bg-accent-soft text-xs font-semibold text-accent"
        >
          {initialsOf(props.me.user.name)}
        </span>
      </Button>
    }
    className="w-68"
  >
    <Suspense>
      <UserMenuItems {...props} />
    </Suspense>
  </Menu>
)

function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/)
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map(
    (word) => word?.[Symbol.iterator]().next().value,
  )
  return letters.join("").toUpperCase()
}
