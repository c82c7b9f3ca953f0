import type { Transaction } from "#db/client.ts"
import { derivedId } from "#server/lib/ids.ts"
import type { EventType } from "#shared/event-types.ts"

/**
 * The fields that identify an event's subject, for types that a subject has at most once: after a restore, Vouch itself
 * repeats these. Null for a person's actions, which can happen any number of times and are identified by their time.
 */
const subjectFields: Record<EventType, readonly string[] | null> = {
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
  "approval.requested": ["approval_id"],
  "approval.decided": ["approval_id"],
  "quota.threshold": ["period_start", "percent"],
  "token.paused": null,
  "token.resumed": null,
  "token.changed": null,
  "investor.frozen": null,
  "investor.unfrozen": null,
  "wallet.frozen": null,
  "wallet.unfrozen": null,
  "hold.created": ["hold_id"],
  "hold.released": ["hold_id"],
  "hold.executed": ["hold_id"],
  "hold.expired": ["hold_id"],
  "recovery.updated": ["recovery_id", "state"],
  "snapshot.ready": ["snapshot_id"],
  "distribution.updated": null,
}

/** An event without a number in its workspace's sequence: what its id is made of. */
export type Staged = { seq: string; workspace_id: string; type: EventType } & (
  | { subject: string; data: null; occurred_at: null }
  | { subject: null; data: Record<string, unknown>; occurred_at: Date }
)

const single = Object.entries(subjectFields).flatMap(([type, fields]) =>
  fields?.length === 1 ? [{ type, field: fields[0]! }] : [],
)

/** The first staged events: most with only the one field that names their subject, others with all of their data. */
export const readStaged = (sql: Transaction, limit: number) => sql<Staged[]>`
  select seq::text, workspace_id, type, data ->> field as subject, case when field is null then data end as data,
    case when field is null then occurred_at end as occurred_at
  from staged_events left join unnest(${single.map(({ type }) => type)}::text[], ${single.map(({ field }) => field)}::text[])
    as single(type, field) using (type)
  order by staged_events.seq limit ${limit}`

/** Derives an event's id from its subject, so that an event that a restore lost keeps its id when it happens again. */
export const eventId = (event: Staged): `evt_${string}` =>
  derivedId("evt", JSON.stringify([event.workspace_id, event.type, ...subjectOf(event)]))

function subjectOf({ type, subject, data, occurred_at, seq }: Staged): unknown[] {
  if (subject !== null) return [subject]
  return subjectFields[type]?.map((field) => data[field]) ?? [data, occurred_at.toISOString(), seq]
}
