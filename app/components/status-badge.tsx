import type { KeyStatus, OperationStatus, ShownStatus } from "#shared/statuses.ts"
import { Badge, type Tone } from "./ui/badge.tsx"

type Look = { word: string; tone: Tone }

/** Every state that has a badge. One that is missing here does not compile. */
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

/** A state as a word with a colour; the word alone says all of it. */
export function StatusBadge({ status }: { status: Status }) {
  const { word, tone } = looks[status]
  return (
    <Badge tone={tone}>
      <span className="size-1.5 rounded-full bg-current" aria-hidden="true" />
      {word}
    </Badge>
  )
}
