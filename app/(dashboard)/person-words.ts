import { shorten } from "#app/components/code.tsx"
import type { RuleCode } from "#shared/rules/rules.ts"
import type { Standing as Status } from "#shared/statuses.ts"
import { shownName } from "#shared/visible.ts"

/** What people call the owner of a wallet: the company's own id. Without one, the wallet. */
export const nameOf = (owner: { external_id: string | null; user_pubkey: string }): string =>
  owner.external_id === null ? shorten(owner.user_pubkey) : shownName(owner.external_id)

export type Standing = {
  /** Null if it was never verified. */
  status: Status | null
  /** Until when it is verified, or since when it no longer is. Null if that is not known. */
  at: string | null
  /** The rule that keeps a wallet from receiving a token, by its code. */
  refusal?: string | null
}
type Words = { words: string; tone: "good" | "notice" | "bad" }

/** Rules that say more than the status. */
const refusals: { [Code in RuleCode]?: string } = {
  wallet_sanctioned: "On a screening list",
  wallet_barred: "Reported as lost",
  wallet_frozen: "Frozen",
  country_not_allowed: "Country not allowed by this token",
  not_accredited: "Not accredited",
}

const on = (word: string) => (day: string | null) => (day === null ? word : `${word} on ${day}`)

const statuses: Record<Status, (day: string | null) => Words> = {
  verified: (day) => ({ words: day === null ? "Verified" : `Verified until ${day}`, tone: "good" }),
  in_review: () => ({ words: "Under review", tone: "notice" }),
  pending: () => ({ words: "Verification not finished", tone: "notice" }),
  expired: (day) => ({ words: on("Expired")(day), tone: "bad" }),
  session_expired: (day) => ({ words: on("Session expired")(day), tone: "bad" }),
  revoked: (day) => ({ words: on("Revoked")(day), tone: "bad" }),
  rejected: (day) => ({ words: on("Rejected")(day), tone: "bad" }),
}

/** The status of a wallet. What keeps it from a token comes first. */
export function standingWords({ status, at, refusal = null }: Standing, dayOf: (at: string) => string): Words {
  const refused = refusal === null ? undefined : refusals[refusal as RuleCode]
  if (refused !== undefined) return { words: refused, tone: "bad" }
  if (status === null) return { words: "Never verified", tone: "bad" }
  return statuses[status](at === null ? null : dayOf(at))
}
