import { z } from "zod"
import { columns, type RowOf } from "#db/rows.ts"
import { attestationStatus, sessionStateAt, statusAt } from "#domain/attestations"
import { deployment } from "#domain/deployment"
import type { Principal } from "#domain/requests"
import { idOf, schemaName, timestamp, wallet } from "#server/lib/fields.ts"
import { clock, toTimestamp } from "#server/lib/time.ts"
import { sessionStates } from "#shared/statuses.ts"

export const sessionState = z.enum(sessionStates).meta({
  id: "SessionState",
  description:
    "`open`: waits for the investor; `approved`: its attestation is on its way to the chain; `verified`, `rejected`, `cancelled` and `expired` are final, even if the attestation changes later",
  example: "open",
})

export const sessionRecord = z
  .object({
    session_id: idOf("sess").nullable().meta({
      description: "Opens the hosted page; null unless the key has the scope kyc:write",
      example: "sess_Kx8vPq3mNbR5tYw2Lc7HdZ",
    }),
    session_url: z.url().nullable().meta({
      description: "The hosted page; null unless the session is open and the key has the scope kyc:write",
      example: "http://localhost:3000/verify/sess_Kx8vPq3mNbR5tYw2Lc7HdZ",
    }),
    attestation_id: idOf("att").meta({
      description: "The attestation that the session decides",
    }),
    investor_id: idOf("inv").meta({
      description: "The person behind the wallet",
      example: "inv_7mYcTzHkLwR2sVbJm9X4f8",
    }),
    user_pubkey: wallet,
    schema: schemaName,
    external_id: z.string().nullable().meta({ description: "The session's externalId", example: "investor-4711" }),
    state: sessionState,
    status: attestationStatus.meta({ example: "pending" }),
    provider: z.string().meta({ description: "Name of the KYC provider", example: "sandbox" }),
    created_at: timestamp,
    consented_at: timestamp.nullable().meta({ description: "When the investor consented; null before", example: null }),
    expires_at: timestamp.nullable().meta({
      description: "When the session closes if it is not decided; null once it is decided",
      example: "2026-01-03T03:04:05Z",
    }),
    decided_at: timestamp.nullable().meta({
      description: "Time of the provider's last decision, by the provider's clock; null before",
      example: null,
    }),
  })
  .meta({ id: "SessionRecord" })

export type SessionRecord = z.infer<typeof sessionRecord>

export const sessionColumns = columns(
  "attestations",
  "id, seq, session_id, investor_id, wallet, schema_id, external_id, status, provider, created_at, consented_at",
  "open_until, issued_at, expires_at, verified_at, revoked_at, event_at, event_decision",
)
export type SessionRow = RowOf<typeof sessionColumns>

export const sessionUrl = (sessionId: string): string => `${deployment.origin}/verify/${sessionId}`

const time = (at: Date | null) => at && toTimestamp(at)

export function toSessionRecord(row: SessionRow, { scopes }: Principal): SessionRecord {
  const now = clock.now()
  const state = sessionStateAt(row, now)
  const mayOpen = scopes.has("kyc:write")
  const isUndecided = state === "open" || state === "in_review"
  return {
    session_id: mayOpen ? row.session_id : null,
    session_url: mayOpen && isUndecided ? sessionUrl(row.session_id) : null,
    attestation_id: row.id,
    investor_id: row.investor_id,
    user_pubkey: row.wallet,
    schema: row.schema_id,
    external_id: row.external_id,
    state,
    status: statusAt(row, now),
    provider: row.provider,
    created_at: toTimestamp(row.created_at),
    consented_at: time(row.consented_at),
    expires_at: isUndecided || state === "expired" ? time(row.open_until) : null,
    decided_at: time(row.event_at),
  }
}
