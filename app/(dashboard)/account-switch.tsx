import { useRouter } from "next/navigation.js"
import { Icon } from "#app/components/icons.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { Menu } from "#app/components/ui/menu.tsx"
import { MenuChoices } from "#app/components/ui/menu-choices.tsx"
import type { Me } from "#domain/people"

type Known = Me["workspaces"]
type AccountSwitchProps = { accounts: Known; here: Known[number]; section: string }

/** The account's name, with a menu of the member's other accounts. Switching stays in the same section. */
export function AccountSwitch({ accounts, here, section }: AccountSwitchProps) {
  const router = useRouter()
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
