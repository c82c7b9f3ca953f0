import type { NamesIn, TableRow } from "#db/rows.ts"
import { claimNames } from "#shared/claims.ts"

/**
 * What a column of an attestation reveals about the wallet's owner. `personal` columns are erased, and docs/privacy.md
 * lists them with this text. `secret` columns give access to something. `fields` are the column's names in requests and
 * responses; the request log does not keep their values.
 */
export type Facts = { personal?: string; secret?: true; fields?: readonly string[] }

/** Columns that reveal nothing: ids, states, times and the like. */
export const plainColumns = [
  "workspace_id, id, seq, schema_id, status, period, created_at, provider, provider_link_until",
  "resume_link_until, provider_call_until, ask_at, asks, open_until, submitted_at, closing, opened_at",
  "consented_at, wallet_proof_required, wallet_proved_at, held_at, event_at, event_rank, event_decision, review_id",
  "reviewed_at, issued_at, approved_at, expires_at, commitment, operation_id, onchain_tx, verified_at, ended_at",
  "revoked_at, erased_at",
] as const

/** All other columns. A new one does not compile until it is decided whether it is erased and masked. */
export const facts = {
  external_id: { personal: "your own id for the investor", fields: ["externalId", "external_id"] },
  session_id: { secret: true, fields: ["session_id", "session_url", "session"] },
  provider_reference: { personal: "the vendor's id of the check; it is asked to redact by it" },
  earlier_references: { personal: "the vendor's ids of checks that this one replaced" },
  provider_link: { personal: "the address of the vendor's page; sealed", secret: true },
  language: { personal: "the language of the hosted page" },
  // The log keeps only the destination of redirectUrl.
  redirect_url: { personal: "where the hosted page returns to; it may name the investor" },
  claims: { personal: "country, over 18, accredited; sealed", fields: ["claims", ...claimNames] },
  // With it, the commitment on chain could be linked to a person.
  salt: { personal: "the random part of the fingerprint on chain", secret: true, fields: ["salt"] },
  reason: {
    personal: "why it was rejected or revoked, in your words or the vendor's",
    fields: ["reason", "revocation_reason"],
  },
  public_reason: { personal: "the code that the investor was shown", fields: ["public_reason"] },
  reminder_email: {
    personal: "the address for reminders that it expires; sealed, and deleted when it ends",
    fields: ["email"],
  },
  reminder_language: { personal: "the language of reminders" },
} as const satisfies Record<
  Exclude<keyof TableRow<"attestations">, "wallet" | "investor_id" | NamesIn<(typeof plainColumns)[number]>>,
  Facts
>

export type PersonalColumn = {
  [C in keyof typeof facts]: (typeof facts)[C] extends { personal: string } ? C : never
}[keyof typeof facts]

/** The columns that erasure clears. */
export const personalColumns = Object.entries<Facts>(facts)
  .filter(([, { personal }]) => personal)
  .map(([column]) => column as PersonalColumn)

/** The fields that the request log masks. */
export const maskedFields: ReadonlySet<string> = new Set(
  Object.values<Facts>(facts).flatMap(({ fields = [] }) => fields),
)
