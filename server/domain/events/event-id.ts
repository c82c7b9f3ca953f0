import { derivedId } from "#server/lib/ids.ts"
import type { EventType } from "#shared/event-types.ts"
import type { Staged } from "./staged.ts"

/**
 * The fields that identify an event's subject, for types that a subject has at most once: after a restore, Vouch itself
 * repeats these. Null for a person's actions, which can happen any number of times and are identified by their time.
 */
const subjects: Record<EventType, readonly string[] | null> = {
  "session.opened": ["attestation_id"],
  "session.submitted": ["attestation_id"],
  "attestation.pending": ["attestation_id"],
  "attestation.verified": ["attestation_id"],
  "attestation.rejected": ["attestation_id"],
  "attestation.expired": ["attestation_id"],
  "attestation.expiring": ["attestation_id", "expires_at", "days"],
  "operation.confirmed": ["operation_id"],
  "operation.failed": ["operation_id"],
  "review.opened": ["review_id"],
  "review.decided": ["review_id"],
  "quota.threshold": ["period_start", "percent"],
  "token.paused": null,
  "token.resumed": null,
  "token.changed": null,
  "investor.frozen": null,
  "investor.unfrozen": null,
}

/**
 * An event's id is derived from its subject. An event that is lost with the database and happens again keeps its id.
 */
export function eventId({ workspace_id, type, data, occurred_at, seq }: Staged): `evt_${string}` {
  const fields = subjects[type]
  const named = fields
    ? fields.map((field) => data[field])
    : [data, occurred_at.toISOString(), seq === undefined ? null : String(seq)]
  return derivedId("evt", JSON.stringify([workspace_id, type, ...named]))
}
