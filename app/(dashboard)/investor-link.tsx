"use client"

import { Link } from "#app/components/link.tsx"
import { usePath } from "./workspace.tsx"

/** A company's own id for a person. It may be long: two lines of it are shown, and all of it on hover. */
export const ExternalId = ({ value }: { value: string }) => (
  <span title={value} className="line-clamp-2 max-w-72 wrap-anywhere">
    {value}
  </span>
)

/** Leads to the page of the person behind a wallet: by the company's own id for them, where there is one. */
export function InvestorLink({
  investor,
}: {
  investor: { investor_id: string; external_id: string | null }
}) {
  const path = usePath()
  const { investor_id, external_id } = investor
  return (
    <Link
      href={path("investors", investor_id)}
      prefetch={false}
      className="rounded-sm text-accent underline-offset-2 hover:underline"
    >
      {external_id === null ? "View investor" : <ExternalId value={external_id} />}
      {external_id && <span className="sr-only">, view investor</span>}
    </Link>
  )
}
