import { type Schemas, textOf } from "#app/(dashboard)/[workspace]/tokens/finding-words.ts"
import type { RouterOutputs } from "#app/(dashboard)/workspace.tsx"
import type { Settlement } from "#shared/distributions.ts"

export type Distribution = RouterOutputs["distribution"]["get"]
export type Payout = RouterOutputs["distribution"]["payouts"]["data"][number]

/** How a distribution is paid, as the form says it. */
export const settlementWords = {
  stablecoin: "Stablecoin out of the treasury",
  in_kind: "New tokens of the same kind",
  external: "Paid outside Vouch",
} as const satisfies Record<Settlement, string>

/** What the API says about a wallet that is not verified, and why, if it is known. */
const NOT_VERIFIED = /^\S+ is not verified for [^:.]+(?:: its (?:attestation |verification )?(?:was |is )?([^.]+))?\./

type Refused = { user_pubkey: string; detail: string }

/** Why a payout is withheld or failed, for the row of its wallet. */
export function refusalWords({ user_pubkey, detail }: Refused, schemas: Schemas): string {
  const unverified = NOT_VERIFIED.exec(detail)
  if (unverified) return unverified[1] === undefined ? "Not verified." : `Not verified: ${unverified[1]}.`
  const words = textOf(detail.replaceAll(user_pubkey, "this wallet"), [], schemas)
  return words.charAt(0).toUpperCase() + words.slice(1)
}
