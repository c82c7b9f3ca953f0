import { ArrowLeftRight, BookOpen, CircleUserRound, Keyboard, LogOut, Monitor, Moon, Sparkles, Sun } from "lucide-react"
import { useRouter } from "next/navigation.js"
import { focusLateItems, MenuItem, MenuLabel, MenuSeparator } from "#app/components/ui/menu.tsx"
import { MenuChoices } from "#app/components/ui/menu-choices.tsx"
import { MenuLink } from "#app/components/ui/menu-link.tsx"
import { chooseTheme, themeChoices, useTheme } from "#app/theme-choice.ts"
import type { Me } from "#domain/people"
import { roles } from "#shared/roles.ts"
import { type Known, useSection } from "./header.tsx"
import { showShortcuts } from "./keys.tsx"
import { signOut } from "./session.ts"

export type UserMenuProps = {
  me: Me
  /** The open workspace. Undefined if its address names none of the member's. */
  here: Known[number] | undefined
  /** Whether a missing second factor replaces the page. */
  isHeldUp: boolean
}

/** Who is signed in and where, what belongs to them rather than to a workspace, and the way out. */
export const UserMenuItems = ({ me: { user, workspaces }, here, isHeldUp }: UserMenuProps) => (
  <>
    <MenuLabel ref={focusLateItems} className="text-[13px]! wrap-anywhere">
      <span className="block text-sm font-medium text-ink">{user.name}</span>
      <span className="block">{user.email}</span>
      {here && (
        <span className="mt-1 block text-ink">
          {roles[here.role].name} of {here.account}, {here.mode} workspace
        </span>
      )}
    </MenuLabel>
    <MenuSeparator />
    {here && !isHeldUp && (
      <>
        <MenuLink href={`/${here.id}/settings?part=account`}>
          <CircleUserRound aria-hidden="true" />
          Your account
        </MenuLink>
        <Places workspaces={workspaces} here={here} />
        <MenuSeparator />
      </>
    )}
    <Theme />
    <MenuSeparator />
    {here && !isHeldUp && (
      <MenuItem onSelect={showShortcuts} aria-haspopup="dialog">
        <Keyboard aria-hidden="true" />
        Keyboard shortcuts
      </MenuItem>
    )}
    <MenuLink href="/docs">
      <BookOpen aria-hidden="true" />
      Documentation
    </MenuLink>
    <MenuLink href="/docs/changes">
      <Sparkles aria-hidden="true" />
      What’s new
    </MenuLink>
    <MenuSeparator />
    <MenuItem onSelect={() => void signOut()}>
      <LogOut aria-hidden="true" />
      Sign out
    </MenuItem>
  </>
)

/** The account's other workspace, and the member's other accounts. */
function Places({ workspaces, here }: { workspaces: Known; here: Known[number] }) {
  const router = useRouter()
  const section = useSection()
  const other = workspaces.find(({ id, account_id }) => account_id === here.account_id && id !== here.id)
  const accounts = workspaces.filter(({ mode }) => mode === here.mode)
  return (
    <>
      {other && (
        <MenuLink href={`/${other.id}/${section}`}>
          <ArrowLeftRight aria-hidden="true" />
          Switch to the {other.mode} workspace
        </MenuLink>
      )}
      {accounts.length > 1 && (
        <>
          <MenuSeparator />
          <MenuChoices
            label="Account"
            value={here.id}
            onChange={(id) => router.push(`/${id}/${section}`)}
            options={accounts.map(({ id, account }) => [id, account] as const)}
          />
        </>
      )}
    </>
  )
}

const icons = { system: Monitor, light: Sun, dark: Moon }

const Theme = () => (
  <MenuChoices
    row
    label="Theme"
    value={useTheme()}
    onChange={chooseTheme}
    options={themeChoices.map(([theme, name]) => {
      const Picture = icons[theme]
      return [
        theme,
        <span key={theme} className="flex items-center gap-1.5">
          <Picture aria-hidden="true" />
          {name}
        </span>,
      ] as const
    })}
  />
)
