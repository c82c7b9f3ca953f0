"use client"

import { Link } from "#app/components/link.tsx"
import { usePath } from "./workspace.tsx"

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
      {external_id ?? "View investor"}
      {external_id && <span className="sr-only">, view investor</span>}
    </Link>
  )
}
