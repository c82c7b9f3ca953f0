import type { ReactNode } from "react"
import { usePath } from "#app/(dashboard)/workspace.tsx"
import type { RouterOutputs } from "#app/api.ts"
import { Copyable } from "#app/components/code.tsx"
import { Link } from "#app/components/link.tsx"
import { Card } from "#app/components/ui/card.tsx"
import { countOf, hoursOf } from "#shared/counts.ts"

type Overview = RouterOutputs["overview"]["get"]

const numbers = new Intl.NumberFormat("en-GB")
const sols = new Intl.NumberFormat("en-GB", { maximumSignificantDigits: 3 })
/** The server counts reviews up to this number. */
const MANY = 100

/** What needs a person's attention now, with links. */
export function NeedsAttention({ overview: { attention, expiring } }: { overview: Overview }) {
  const path = usePath()
  const { reviews, endpoints, low_sol } = attention
  const week = expiring.days_7
  const items: Record<string, ReactNode> = {
    reviews: reviews !== null && reviews > 0 && (
      <To href={path("reviews")}>{reviews < MANY ? countOf(reviews, "review") : `${MANY - 1}+ reviews`} to decide</To>
    ),
    disabled: endpoints.disabled > 0 && (
      <To href={path("webhooks")}>{countOf(endpoints.disabled, "webhook endpoint")} disabled</To>
    ),
    failing: endpoints.failing > 0 && (
      <To href={path("webhooks")}>{countOf(endpoints.failing, "webhook endpoint")} failing</To>
    ),
    sol: low_sol && (
      <>
        Send SOL to <Copyable compact value={low_sol.address} what="the fee payer’s address" />: it has{" "}
        {sols.format(low_sol.sol)} SOL
        {low_sol.hours_left !== null && `, enough for about ${hoursOf(low_sol.hours_left)}`}
      </>
    ),
    expiring: week.count > 0 && (
      <To href={`${path("attestations")}?expiring=7`}>
        {week.more ? `More than ${numbers.format(week.count)} verifications` : countOf(week.count, "verification")}{" "}
        expiring within 7 days
      </To>
    ),
  }
  const shown = Object.entries(items).filter(([, item]) => item)
  return (
    <Card title="Needs attention">
      {shown.length === 0 ? (
        <p className="text-muted">Nothing needs your attention.</p>
      ) : (
        <ul className="grid gap-x-8 gap-y-2 sm:grid-cols-2">
          {shown.map(([name, item]) => (
            <li key={name}>{item}</li>
          ))}
        </ul>
      )}
    </Card>
  )
}

const To = ({ href, children }: { href: string; children: ReactNode }) => (
  <Link href={href} prefetch={false} className="rounded-sm text-accent underline-offset-2 hover:underline">
    {children}
  </Link>
)
