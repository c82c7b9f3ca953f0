import { type Schemas, textOf } from "#app/(dashboard)/[workspace]/tokens/finding-words.ts"
import type { RouterOutputs } from "#app/(dashboard)/workspace.tsx"
import type { Address } from "#shared/address.ts"
import type { Settlement } from "#shared/distributions.ts"

export type Distribution = RouterOutputs["distribution"]["get"]
export type Payout = RouterOutputs["distribution"]["payouts"]["data"][number]

/** How a distribution is paid, as the form says it. */
export const settlementWords = {
  stablecoin: "Stablecoin out of the treasury",
  in_kind: "New tokens of the same kind",
  external: "Paid elsewhere",
} as const satisfies Record<Settlement, string>

/** What the API says about a wallet that is not verified, and why, if it is known. */
const NOT_VERIFIED = /^\S+ is not verified for [^:.]+(?:: its (?:attestation |verification )?(?:was |is )?([^.]+))?\./

type Refused = Pick<Payout, "user_pubkey" | "investor_id" | "external_id"> & { detail: string }

/** Why a payout is withheld or failed, for the row of its investor. */
export function refusalWords({ user_pubkey, investor_id, external_id, detail }: Refused, schemas: Schemas): string {
  const unverified = NOT_VERIFIED.exec(detail)
  if (unverified) return unverified[1] === undefined ? "Not verified." : `Not verified: ${unverified[1]}.`
  return textOf(
    detail,
    investor_id === null ? [] : [{ user_pubkey: user_pubkey as Address, investor_id, external_id }],
    schemas,
  )
}
