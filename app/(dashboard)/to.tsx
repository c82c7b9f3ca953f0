import type { ReactNode } from "react"
import { Link } from "#app/components/link.tsx"
import { usePath } from "./workspace.tsx"

/** A link to a page of this workspace: `<To path={["attestations", id]}>`. */
export function To({
  path: parts,
  query = "",
  className = "rounded-sm text-accent underline-offset-2 hover:underline",
  children,
}: {
  path: string[]
  query?: string
  className?: string
  children: ReactNode
}) {
  const path = usePath()
  return (
    <Link href={path(...parts) + query} prefetch={false} className={className}>
      {children}
    </Link>
  )
}
