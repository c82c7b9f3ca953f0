import { clsx } from "clsx"
import { Link } from "#app/components/link.tsx"
import { itemLook } from "./menu.tsx"

/** An item that opens a page. */
export const MenuLink = ({ href, children }: { href: string; children: React.ReactNode }) => (
  <Link href={href} prefetch={false} role="menuitem" tabIndex={-1} className={clsx(itemLook, "[&_svg]:text-muted")}>
    {children}
  </Link>
)
