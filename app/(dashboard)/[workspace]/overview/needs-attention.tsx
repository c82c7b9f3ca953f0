import type { ReactNode } from "react"
import { titleOf } from "#app/(dashboard)/[workspace]/approvals/summary.ts"
import { useNames } from "#app/(dashboard)/[workspace]/approvals/use-names.ts"
import { type RouterOutputs, usePath } from "#app/(dashboard)/workspace.tsx"
import { Copyable, shorten } from "#app/components/code.tsx"
import { Card } from "#app/components/frame.tsx"
import { Icon } from "#app/components/icons.tsx"
import { Link } from "#app/components/link.tsx"
import { Since } from "#app/components/timestamp.tsx"
import { countOf, hoursOf } from "#shared/counts.ts"
import { headlineOf } from "#shared/reviews.ts"
import { shownName } from "#shared/visible.ts"

type Overview = RouterOutputs["overview"]["get"]
type Waiting = Overview["attention"]
type Review = NonNullable<NonNullable<Waiting["reviews"]>["oldest"]>
type Approval = NonNullable<NonNullable<Waiting["approvals"]>["oldest"]>

const sols = new Intl.NumberFormat("en-GB", { maximumSignificantDigits: 3 })
const numbers = new Intl.NumberFormat("en-GB")
/** The server counts reviews up to this number. */
const MANY = 100

type Attention = {
  /** Unique among them. */
  name: string
  what: ReactNode
  /** The one that waits longest, and how many there are. */
  first?: ReactNode
  count?: number
  /** The path of its page. Null if there is none. */
  to: string[] | null
  query?: string
  since?: string | null | undefined
}

/** What waits for the member, a row each: what, which one first, since when. The whole row is a link. */
export function NeedsAttention({ overview }: { overview: Overview }) {
  const shown = itemsOf(overview).filter((item) => item !== false && item !== null)
  return (
    <Card title="Needs attention">
      {shown.length === 0 ? (
        <p className="text-muted">Nothing needs your attention.</p>
      ) : (
        <ul className="-mx-2 -mb-2 divide-y divide-line">
          {shown.map((item) => (
            <li key={item.name}>
              <Row item={item} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

/** The page of the only one, or their list. */
const pathOf = (section: string, count: number, id: string | undefined) =>
  count === 1 && id !== undefined ? [section, id] : [section]

function itemsOf({ attention, expiring }: Overview): (Attention | false | null)[] {
  const { reviews, approvals, endpoints, low_sol } = attention
  return [
    approvals !== null &&
      approvals.count > 0 && {
        name: "approvals",
        what: `${countOf(approvals.count, "approval")} ${approvals.count === 1 ? "needs" : "need"} your decision`,
        first: approvals.oldest && <ApprovalTitle of={approvals.oldest} />,
        count: approvals.count,
        to: pathOf("approvals", approvals.count, approvals.oldest?.approval_id),
        since: approvals.oldest?.created_at,
      },
    reviews !== null &&
      reviews.count > 0 && {
        name: "reviews",
        what: `${reviews.count < MANY ? countOf(reviews.count, "review") : `${MANY - 1}+ reviews`} to decide`,
        first: reviews.oldest && titleOfReview(reviews.oldest),
        count: reviews.count,
        to: pathOf("reviews", reviews.count, reviews.oldest?.review_id),
        since: reviews.oldest?.opened_at,
      },
    endpoints.disabled > 0 && {
      name: "disabled",
      what: `${countOf(endpoints.disabled, "webhook endpoint")} disabled`,
      first: endpoints.oldest_disabled?.url,
      count: endpoints.disabled,
      to: pathOf("webhooks", endpoints.disabled, endpoints.oldest_disabled?.endpoint_id),
    },
    endpoints.failing > 0 && {
      name: "failing",
      what: `${countOf(endpoints.failing, "webhook endpoint")} failing`,
      first: endpoints.oldest_failing?.url,
      count: endpoints.failing,
      to: pathOf("webhooks", endpoints.failing, endpoints.oldest_failing?.endpoint_id),
      since: endpoints.failing_since,
    },
    low_sol && {
      name: "sol",
      what: (
        <>
          Send SOL to <Copyable compact value={low_sol.address} what="the fee payer’s address" />: it has{" "}
          {sols.format(low_sol.sol)} SOL
          {low_sol.hours_left !== null && `, enough for about ${hoursOf(low_sol.hours_left)}`}
        </>
      ),
      to: null,
    },
    expiring.days_30.count > 0 && {
      name: "expiring",
      what: expiryOf(expiring),
      first: remindersOf(expiring.reminders),
      to: ["attestations"],
      query: `?expiring=${expiring.days_7.count > 0 ? 7 : 30}`,
    },
  ]
}

type Expiring = Overview["expiring"]

function expiryOf({ days_7, days_30 }: Expiring): string {
  const said = ({ count, more }: Expiring["days_7"]) => (more ? "more than " : "") + numbers.format(count)
  const [first, days] = days_7.count > 0 ? [days_7, 7] : [days_30, 30]
  const text = `${said(first)} ${first.count === 1 ? "verification expires" : "verifications expire"} within ${days} days`
  const later = days === 7 && days_30.count > days_7.count ? `, ${said(days_30)} within 30` : ""
  return text.charAt(0).toUpperCase() + text.slice(1) + later
}

/** Whether the investors hear of it. */
const remindersOf = ({ on, mail }: Expiring["reminders"]): string =>
  !on
    ? "Renewal reminders are off"
    : mail
      ? "Investors who left an email address are reminded"
      : "Nothing reminds the investors: this server cannot send email"

function Row({ item: { what, first, count = 1, to, query = "", since } }: { item: Attention }) {
  const path = usePath()
  const content = (
    <>
      <span className="min-w-0 flex-1 md:flex md:items-baseline md:gap-x-3">
        <span className="block shrink-0 font-medium">{what}</span>
        {first && (
          <span className="block min-w-0 truncate text-[13px] text-muted">
            {first}
            {count > 1 && (count < MANY ? `, and ${count - 1} more` : ", and more")}
          </span>
        )}
      </span>
      {since && (
        <span className="shrink-0 text-[13px] text-muted">
          <span className="max-sm:sr-only">for </span>
          <Since at={since} />
        </span>
      )}
    </>
  )
  const look = "flex min-h-10 items-center gap-3 px-2 py-2"
  if (to === null) return <p className={look}>{content}</p>
  return (
    <Link href={path(...to) + query} prefetch={false} className={`${look} rounded-md hover:bg-sunken`}>
      {content}
      <Icon name="chevron" className="size-4 shrink-0 -rotate-90 text-muted" />
    </Link>
  )
}

const titleOfReview = (review: Review): string =>
  `${headlineOf(review)} · ${review.external_id === null ? shorten(review.wallet ?? review.investor_id ?? "") : shownName(review.external_id)}`

function ApprovalTitle({ of }: { of: Approval }) {
  return titleOf(of, useNames([of]))
}
