import type { RouterOutputs } from "#app/(dashboard)/workspace.tsx"
import { shownName } from "#shared/visible.ts"

/** A review with everything needed to decide it. */
export type Review = RouterOutputs["review"]["get"]

type About = Pick<Review, "external_id" | "wallet" | "investor_id">

/** Who the review is about, as the workspace knows them. */
export const subjectOf = ({ external_id, wallet, investor_id }: About): string =>
  external_id === null ? (wallet ?? investor_id ?? "") : shownName(external_id)

/** What clearing a match with a wallet list does. Another list may still contain the wallet. */
export function clearing({ lists }: Pick<Review, "lists">): string {
  const others = lists.filter(({ ends_here }) => !ends_here)
  if (others.length === 0)
    return "Mints and transfers of this wallet go through again while it stays on the list, and what was frozen for it is opened. The review closes."
  const names = others.map(({ name }) => name).join(", ")
  const effects = [
    ...(others.some(({ in_use }) => in_use) ? ["its mints and transfers stay refused"] : []),
    ...(others.some(({ frozen }) => frozen) ? ["its tokens stay frozen"] : []),
  ]
  return `The wallet is still held for ${names}: ${effects.join(", and ") || "that match stays undecided"}. This match no longer holds it. The review closes.`
}

type Decider = Pick<Review, "reason" | "decided_by" | "requested_by">

/** Whether this member's decision, with this reason, was saved. Its answer may have been lost. */
export const isDecisionOf = (
  userId: string,
  reason: string,
  { decided_by, requested_by, ...review }: Decider,
): boolean => review.reason === reason.trim() && [decided_by?.id, requested_by?.id].includes(userId)
