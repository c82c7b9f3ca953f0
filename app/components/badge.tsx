import { clsx } from "clsx"
import type { ComponentProps } from "react"
import type { KeyStatus, OperationStatus, ShownStatus } from "#shared/statuses.ts"

const tones = {
  plain: "border-line bg-sunken text-muted",
  good: "border-accent/25 bg-accent-soft text-accent",
  notice: "border-notice-line bg-notice-soft text-notice",
  bad: "border-danger/25 bg-danger-soft text-danger",
} as const

type Tone = keyof typeof tones

export const Badge = ({ tone = "plain", className, ...props }: ComponentProps<"span"> & { tone?: Tone }) => (
  <span
    className={clsx(
      "inline-flex items-center gap-1.5 rounded-full border px-2 py-px text-xs leading-5 font-medium tracking-normal whitespace-nowrap",
      tones[tone],
      className,
    )}
    {...props}
  />
)

type Look = { word: string; tone: Tone }

/** The style of every state. A missing state does not compile. */
const looks = {
  // Attestations
  pending: { word: "Pending", tone: "notice" },
  verified: { word: "Verified", tone: "good" },
  rejected: { word: "Rejected", tone: "bad" },
  // Operations
  queued: { word: "Queued", tone: "plain" },
  submitted: { word: "Submitted", tone: "notice" },
  confirmed: { word: "Confirmed", tone: "good" },
  failed: { word: "Failed", tone: "bad" },
  awaiting_approval: { word: "Awaiting approval", tone: "notice" },
  // Holds, in addition to those above and below
  released: { word: "Released", tone: "plain" },
  executed: { word: "Executed", tone: "plain" },
  // Approvals, in addition to those above
  approved: { word: "Approved", tone: "good" },
  withdrawn: { word: "Withdrawn", tone: "plain" },
  void: { word: "Void", tone: "plain" },
  // Recoveries, in addition to those above
  barred: { word: "Needs a new wallet", tone: "notice" },
  in_progress: { word: "In progress", tone: "notice" },
  completed: { word: "Completed", tone: "good" },
  // Snapshots, in addition to those above
  scheduled: { word: "Scheduled", tone: "plain" },
  ready: { word: "Ready", tone: "good" },
  // Distributions and payouts, in addition to those above and below
  draft: { word: "Draft", tone: "plain" },
  paying: { word: "Being paid", tone: "notice" },
  cancelled: { word: "Cancelled", tone: "plain" },
  withheld: { word: "Withheld", tone: "notice" },
  paid: { word: "Paid", tone: "good" },
  external_paid: { word: "Paid outside Vouch", tone: "good" },
  // Keys, configurations, accounts on chain, invitations
  active: { word: "Active", tone: "good" },
  revoked: { word: "Revoked", tone: "bad" },
  expired: { word: "Expired", tone: "plain" },
  paused: { word: "Paused", tone: "notice" },
  frozen: { word: "Frozen", tone: "plain" },
  open: { word: "Open", tone: "good" },
} as const satisfies Record<ShownStatus | OperationStatus | KeyStatus, Look> & Record<string, Look>

type Status = keyof typeof looks

export const statusWord = (status: Status): string => looks[status].word

/** A state in words and color. The words alone are enough. */
export function StatusBadge({ status }: { status: Status }) {
  const { word, tone } = looks[status]
  return (
    <Badge tone={tone}>
      <span className="size-1.5 rounded-full bg-current" aria-hidden="true" />
      {word}
    </Badge>
  )
}

/** Whether a token is paused, active or not on chain yet. */
export function TokenBadge({ token: { paused, mint } }: { token: { paused: boolean; mint: string | null } }) {
  if (paused) return <StatusBadge status="paused" />
  return mint === null ? <Badge>No mint yet</Badge> : <StatusBadge status="active" />
}

export function HttpStatus({ status }: { status: number }) {
  return <Badge tone={status < 400 ? "good" : status < 500 ? "notice" : "bad"}>{status}</Badge>
}
