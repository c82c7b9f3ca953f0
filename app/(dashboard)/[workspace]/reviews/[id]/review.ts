import type { RouterOutputs } from "#app/(dashboard)/workspace.tsx"
import { type Finding, findings } from "#shared/reviews.ts"
import { shownName } from "#shared/visible.ts"

/** A review with everything needed to decide it. */
export type Review = RouterOutputs["review"]["get"]

/** The longest text of a finder that is shown as a heading. */
const LONGEST_HEADLINE = 120

type Headed = { said: string | null; finding: Finding }

/** A finder's words, unless those are long or only an event's name. */
export const shortWords = (said: string | null): string | null =>
  said?.includes(" ") && said.length <= LONGEST_HEADLINE ? said : null

/** Why the review exists: its finder's words, or ours. */
export const headlineOf = ({ said, finding }: Headed): string => shortWords(said) ?? findings[finding]

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
