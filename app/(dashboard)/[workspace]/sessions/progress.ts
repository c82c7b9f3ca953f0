import type { RouterOutputs } from "#app/(dashboard)/workspace.tsx"
import type { Badge } from "#app/components/badge.tsx"
import { shortWords } from "#shared/reviews.ts"

export type Session = RouterOutputs["session"]["list"]["data"][number]

/** The link of a session that can still be used or cancelled. Null for members who may not start sessions. */
export const openLinkOf = ({ session_url, session_id, open_until, status }: Session): string | null =>
  session_id !== null && open_until !== null && status === "pending" ? session_url : null

type Tone = NonNullable<Parameters<typeof Badge>[0]["tone"]>

/** What an open session waits for. */
export function waitOf(session: Session): { words: string; tone: Tone } {
  const { state, flow, decision, held_for, consented_at, submitted_at } = session
  if (held_for === "wallet_proof") return { words: "Approved, awaiting the wallet’s signature", tone: "notice" }
  if (held_for === "screening") return { words: "Approved, awaiting screening", tone: "notice" }
  if (state === "approved") return { words: "Approved, confirming on chain", tone: "notice" }
  if (decision === "in_review") return { words: "In review", tone: "notice" }
  if (decision === "resubmission_requested") return { words: "Asked to submit again", tone: "notice" }
  if (submitted_at !== null || (flow === "form" && consented_at !== null))
    return { words: "Being checked", tone: "notice" }
  return { words: "Awaiting investor", tone: "plain" }
}

/** What the investor did last, and when: null if they have not opened the link. In review, what that is about. */
export function lastStepOf(session: Session): { words: string; at: string | null } {
  if (session.state === "in_review")
    return { words: shortWords(session.review?.said ?? null) ?? "Awaiting a review", at: null }
  const { opened_at, consented_at, wallet_proved_at, submitted_at, earlier_checks, flow, provider } = session
  const attempt = earlier_checks > 0 ? `, attempt ${earlier_checks + 1}` : ""
  const steps = [
    { words: "Opened the link", at: opened_at },
    { words: "Signed with the wallet", at: wallet_proved_at },
    { words: flow === "form" ? "Sent the form" : `Went to ${provider}${attempt}`, at: consented_at },
    { words: `Sent documents to ${provider}${attempt}`, at: submitted_at },
  ]
  // Of the same second, the later step.
  return steps.reduce<{ words: string; at: string | null }>(
    (last, { words, at }) => (at !== null && at >= (last.at ?? at) ? { words, at } : last),
    { words: "Link not opened yet", at: null },
  )
}
