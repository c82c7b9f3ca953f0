import { clsx } from "clsx"
import { LogOut } from "lucide-react"
import { useRouter } from "next/navigation.js"
import { Icon } from "#app/components/icons.tsx"
import { Button, Link } from "#app/components/ui/button.tsx"
import { Menu, MenuChoices, MenuItem, MenuLabel, MenuSeparator } from "#app/components/ui/menu.tsx"
import type { Me } from "#domain/people"
import { useSection } from "./navigation.tsx"
import { signOut } from "./session.ts"

type Known = Me["workspaces"]

const modes = [
  { mode: "test", name: "Test" },
  { mode: "live", name: "Live" },
] as const

/** Shows the account and which of its two workspaces is open. Switching stays in the same section. */
export function WorkspaceSwitch({ workspaces, here }: { workspaces: Known; here: Known[number] }) {
  const section = useSection()
  const siblings = workspaces.filter(({ account_id }) => account_id === here.account_id)
  return (
    <div className="flex min-w-0 items-center gap-3">
      <AccountSwitch workspaces={workspaces} here={here} section={section} />
      <nav aria-label="Workspace" className="flex rounded-lg border border-line bg-sunken p-0.5">
        {modes.map(({ mode, name }) => {
          const workspace = siblings.find((sibling) => sibling.mode === mode)
          if (!workspace) return null
          return (
            <Link
              key={mode}
              href={`/${workspace.id}/${section}`}
              prefetch={false}
              {...(workspace.id === here.id && { "aria-current": "true" as const })}
              className={clsx(
                "flex h-7 items-center rounded-md border border-transparent px-2.5 text-[13px] text-muted hover:text-ink aria-[current=true]:bg-surface aria-[current=true]:font-medium aria-[current=true]:shadow-xs pointer-coarse:h-9",
                mode === "test"
                  ? "aria-[current=true]:border-notice-line aria-[current=true]:bg-notice-soft aria-[current=true]:text-notice"
                  : "aria-[current=true]:border-line aria-[current=true]:text-accent",
              )}
            >
              {name}
            </Link>
          )
        })}
      </nav>
    </div>
  )
}

/** The account's name. A menu if the member has several accounts. */
function AccountSwitch({ workspaces, here, section }: { workspaces: Known; here: Known[number]; section: string }) {
  const router = useRouter()
  // Keeps the mode when the account changes.
  const accounts = workspaces.filter(({ mode }) => mode === here.mode)
  if (accounts.length < 2) {
    return <span className="truncate text-sm font-medium max-sm:hidden">{here.account}</span>
  }
  return (
    <Menu
      trigger={
        <Button variant="ghost" size="sm" className="min-w-0 shrink!" aria-label={`Account: ${here.account}`}>
          <span className="max-w-48 truncate max-sm:max-w-20">{here.account}</span>
          <Icon name="chevron" className="text-muted" />
        </Button>
      }
      align="start"
      className="max-h-80! max-w-72"
    >
      <MenuChoices
        label="Accounts"
        value={here.id}
        onChange={(id) => router.push(`/${id}/${section}`)}
        options={accounts.map(({ id, account }) => [id, account] as const)}
      />
    </Menu>
  )
}

export const UserMenu = ({ user }: { user: Me["user"] }) => (
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

function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/)
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map(
    (word) => word?.[Symbol.iterator]().next().value,
  )
  return letters.join("").toUpperCase()
}
