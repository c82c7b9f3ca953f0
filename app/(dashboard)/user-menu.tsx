import { LogOut } from "lucide-react"
import { Button } from "#app/components/ui/button.tsx"
import { Menu, MenuItem, MenuLabel, MenuSeparator } from "#app/components/ui/menu.tsx"
import type { Me } from "#domain/people"
import { signOut } from "./session.ts"

/** Shows who is signed in, with the button to sign out. */
export function UserMenu({ user }: { user: Me["user"] }) {
  return (
    <Menu
      trigger={
        <Button variant="ghost" size="round" aria-label={`Account of ${user.name}`}>
          <span
            aria-hidden="true"
            className="flex size-7 items-center justify-center rounded-full bg-accent-soft text-xs font-semibold text-accent"
          >
            {initialsOf(user.name)}
          </span>
        </Button>
      }
      className="w-60"
    >
      <MenuLabel className="text-sm!">
        <span className="block font-medium text-ink">{user.name}</span>
        <span className="block text-[13px]">{user.email}</span>
      </MenuLabel>
      <MenuSeparator />
      <MenuItem onSelect={() => void signOut()}>
        <LogOut aria-hidden="true" />
        Sign out
      </MenuItem>
    </Menu>
  )
}

function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/)
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map(
    (word) => word?.[Symbol.iterator]().next().value,
  )
  return letters.join("").toUpperCase()
}
