import { TOKEN_2022_PROGRAM_ID } from "@solana/spl-token"
import { z } from "zod"
import type { Queryable } from "#db/client.ts"
import { columns, type RowOf } from "#db/rows.ts"
import { deployment } from "#domain/deployment"
import type { Principal } from "#domain/requests"
import { address, idOf, schemaName, signature, timestamp, wallet } from "#server/lib/fields.ts"
import { clock, toTimestamp } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import { publicReasonOf, publicReasons } from "#shared/public-reasons.ts"
import { attestationStatuses } from "#shared/statuses.ts"
import { credentialAccounts } from "./credential-accounts.ts"
import { statusAt } from "./status.ts"

export const attestationStatus = z.enum(attestationStatuses).meta({
  id: "AttestationStatus",
  description: "`verified` once it is confirmed on chain; `rejected` and `expired` are final",
  example: "verified",
})

export const publicReason = z.enum(publicReasons).meta({
  id: "PublicReason",
  description: "Reason code that the investor sees",
  example: "unverifiable",
})

/** 32 bytes in base64url. */
const hash = z.string().meta({ pattern: "^[A-Za-z0-9_-]{43}$" })

const onchain = z
  .object({
    cluster: z
      .string()
      .meta({ description: "localnet, devnet, testnet, mainnet-beta or unknown", example: "localnet" }),
    program: address.meta({
      description: "The token program (Token-2022)",
      example: "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb",
    }),
    mint: address.meta({
      description: "The credential's mint",
      example: "9vZbTqUc2mJXkLwRfY4hNsPdE7aG5tKoW3iBx1CyMr6Q",
    }),
    token_account: address.meta({
      description: "The wallet's token account, which holds one unit",
      example: "4hXbM8rPqTzKcWvY2sLnDgF6uJeA9iRo3wE5tCyB7kVN",
    }),
    authority: address.meta({
      description: "The issuer, which signs every change of the credential",
      example: "6mRkYtGvB3xNcQ8sLwPzFhJ2dTaU5eKo9iW4rCy7XbVE",
    }),
    commitment: hash.meta({
      description: "base64url of SHA-256 of the record's canonical JSON; the memo contains it",
      example: "k3Jp0bVb8C1xQm2tYw5rNhZs7uLdEaGfTiOoXc9v6Rk",
    }),
    salt: hash.nullable().meta({
      description: "Random part of the commitment's input, base64url; null once erased",
      example: "Zt4x8nQmKpV2sYw7rBhLcJ0dGfTaUe5iRoX3vC9yN1E",
    }),
  })
  .meta({ id: "OnchainProof" })

export const attestationRecord = z
  .object({
    attestation_id: idOf("att"),
    status: attestationStatus,
    user_pubkey: wallet,
    schema: schemaName,
    session_id: idOf("sess").nullable().meta({
      description: "Opens the hosted page; null unless the key has the scope kyc:write",
      example: "sess_Kx8vPq3mNbR5tYw2Lc7HdZ",
    }),
    investor_id: idOf("inv").meta({
      description: "The investor who owns the wallet",
    }),
    external_id: z.string().nullable().meta({ description: "The session's externalId", example: "investor-4711" }),
    created_at: timestamp.meta({ description: "When its session was started" }),
    decided_at: timestamp.nullable().meta({
      description: "When the provider approved or rejected it, or withdrew its approval; null if it did not",
    }),
    decided_by: z.enum(["provider", "review"]).nullable().meta({
      description: "`review` if a member decided what the provider had left in review; null without decided_at",
      example: "provider",
    }),
    wallet_proved_at: timestamp.nullable().meta({
      description:
        "When the investor proved with a signature that the wallet is theirs; null if they did not, or if the schema does not require it",
      example: null,
    }),
    issued_at: timestamp.nullable().meta({ description: "Time of the decision; null until verified" }),
    expires_at: timestamp.nullable().meta({ description: "Null until verified", example: "2027-01-02T03:04:05Z" }),
    revoked_at: timestamp.nullable().meta({ description: "Null unless revoked", example: null }),
    revocation_reason: z.string().nullable().meta({
      description: "Internal reason why it ended early; never shown to the investor",
      example: null,
    }),
    public_reason: publicReason.nullable().meta({
      description: "Reason code that the hosted page shows; null if there is nothing to explain",
      example: null,
    }),
    onchain_tx: signature.nullable().meta({
      description: "The issuing transaction's signature, base58; null until verified",
      example: "5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW",
    }),
    finalized_at: timestamp.nullable().meta({
      description: "Null until the chain can no longer undo the issuance, about 13 seconds after it is verified",
    }),
    onchain: onchain.nullable(),
  })
  .meta({ id: "Attestation" })

export type AttestationRecord = z.infer<typeof attestationRecord>

/** The row from which a record is built. */
const attestationColumns = columns(
  "attestations",
  "workspace_id, id, seq, status, wallet, schema_id, session_id, investor_id, external_id, created_at, open_until",
  "wallet_proved_at, issued_at, expires_at, verified_at, revoked_at, reason, public_reason, event_at",
  "event_decision, review_id, reviewed_at, onchain_tx, commitment, salt",
)
export type AttestationRow = RowOf<typeof attestationColumns> & {
  /** The key that has authority over its credential's mint; null for the derived one. */
  authority: Address | null
  /** When its issuance was found to be final on chain. */
  finalized_at: Date | null
}

/** All columns of an `AttestationRow`, from the table `attestations`. */
export const attestationFields = (sql: Queryable) => sql`
  ${sql(attestationColumns)}, (select authority from schemas s
    where s.workspace_id = attestations.workspace_id and s.id = attestations.schema_id) as authority,
  (select finalized_at from transactions t where t.signature = attestations.onchain_tx) as finalized_at`

/** The record that a caller sees. Facts of the credential are null until the credential is confirmed on chain. */
export function toRecord(row: AttestationRow, principal: Principal): AttestationRecord {
  const shown = row.verified_at !== null
  const time = (value: Date | null) => (value === null ? null : toTimestamp(value))
  const status = statusAt(row, clock.now())
  return {
    attestation_id: row.id,
    status,
    user_pubkey: row.wallet,
    schema: row.schema_id,
    session_id: principal.scopes.has("kyc:write") ? row.session_id : null,
    investor_id: row.investor_id,
    external_id: row.external_id,
    created_at: toTimestamp(row.created_at),
    decided_at: time(decidedAt(row)),
    decided_by: decidedAt(row) === null ? null : isManual(row) ? "review" : "provider",
    wallet_proved_at: time(row.wallet_proved_at),
    issued_at: shown ? time(row.issued_at) : null,
    expires_at: shown ? time(row.expires_at) : null,
    revoked_at: time(row.revoked_at),
    revocation_reason: row.reason,
    public_reason: publicReasonOf({ ...row, status }),
    onchain_tx: shown ? row.onchain_tx : null,
    finalized_at: shown ? time(row.finalized_at) : null,
    onchain: shown ? proofOf(row, principal) : null,
  }
}

type DecidedRow = Pick<AttestationRow, "event_at" | "event_decision" | "issued_at" | "review_id" | "reviewed_at">

/** Whether a person made the decision that is in force. A rejection after an approval is the provider's. */
export const isManual = ({ review_id, event_decision, issued_at }: DecidedRow): boolean =>
  review_id !== null && !(event_decision === "rejected" && issued_at !== null)

/**
 * When the provider, or a member in its place, made the decision in force: a rejection (including one that withdraws an
 * approval), otherwise the approval. A review, a request to submit again, a closed session and a revocation do not
 * count.
 */
export function decidedAt(row: DecidedRow): Date | null {
  const decidedAt = isManual(row) ? row.reviewed_at : row.event_at
  if (row.event_decision === "rejected") return decidedAt
  // `issued_at` is fixed when the approval takes effect, and is never later than the approval. It is null while an
  // approval is held, and for one that came too late to count.
  return row.issued_at ?? (row.event_decision === "approved" ? decidedAt : null)
}

function proofOf(row: AttestationRow, { mode }: Principal): AttestationRecord["onchain"] {
  const chain = deployment.chains[mode]
  if (!chain) return null
  const { mint, account } = credentialAccounts(row.workspace_id, row.schema_id, row.wallet)
  return {
    cluster: chain.identity?.cluster ?? "unknown",
    program: TOKEN_2022_PROGRAM_ID.toBase58(),
    mint,
    token_account: account,
    authority: row.authority!,
    commitment: row.commitment!,
    salt: row.salt,
  }
}
