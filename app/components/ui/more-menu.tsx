import { Ellipsis } from "lucide-react"
import type { ReactNode } from "react"
import { Button } from "./button.tsx"
import { Menu } from "./menu.tsx"

type MoreMenuProps = { label?: string; size?: "icon" | "icon-sm"; className?: string; children: ReactNode }

/** The actions without a button, behind three dots. In a list, the label names the row. */
export const MoreMenu = ({ label = "More actions", size = "icon", children, ...props }: MoreMenuProps) => (
  <Menu
    trigger={
      <Button variant="ghost" size={size} aria-label={label}>
        <Ellipsis aria-hidden="true" />
      </Button>
    }
    {...props}
  >
    {children}
  </Menu>
)
