import type { RouterOutputs } from "#app/(dashboard)/workspace.tsx"
import { Badge } from "#app/components/badge.tsx"
import { type ReviewDecision, reviewDecisions } from "#shared/review-decisions.ts"

type Review = Pick<RouterOutputs["review"]["list"]["data"][number], "state" | "decision" | "ending">

const tones = {
  approve: "good",
  clear: "good",
  request_resubmission: "notice",
  reject: "bad",
  keep_rejected: "bad",
  revoke: "bad",
} as const satisfies Record<ReviewDecision, "good" | "notice" | "bad">

export function ReviewBadge({ review: { state, decision, ending } }: { review: Review }) {
  if (state === "open") return <Badge tone="notice">Open</Badge>
  if (state === "requested") return <Badge tone="notice">To approve</Badge>
  if (ending === "decided" && decision) return <Badge tone={tones[decision]}>{reviewDecisions[decision].past}</Badge>
  return <Badge>Closed</Badge>
}
