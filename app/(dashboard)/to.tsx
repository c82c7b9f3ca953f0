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

/** A company's own id for a person. A long one is cut to two lines, and shown whole on hover. */
export const ExternalId = ({ value }: { value: string }) => (
  <span title={value} className="line-clamp-2 max-w-72 wrap-anywhere">
    {value}
  </span>
)

/** Links to the investor behind a wallet, by the company's own id for them if there is one. */
export function InvestorLink({ investor }: { investor: { investor_id: string; external_id: string | null } }) {
  const { investor_id, external_id } = investor
  return (
    <To path={["investors", investor_id]}>
      {external_id === null ? "View investor" : <ExternalId value={external_id} />}
      {external_id && <span className="sr-only">, view investor</span>}
    </To>
  )
}
