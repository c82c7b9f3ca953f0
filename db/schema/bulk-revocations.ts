import { sql } from "drizzle-orm"
import { check, index, integer, jsonb, pgTable, primaryKey, smallint, text } from "drizzle-orm/pg-core"
import type { PublicReason } from "#shared/public-reasons.ts"
import type { RevocationFailure } from "#shared/statuses.ts"
import { ofWorkspace } from "./accounts.ts"
import { refersTo, time } from "./columns.ts"

/** Attestations that a member revokes together, processed one by one. */
export const bulkRevocations = pgTable(
  "bulk_revocations",
  {
    workspaceId: ofWorkspace(),
    id: text().notNull(),
    /** The internal reason; null once the last attestation has it. */
    reason: text(),
    publicReason: text("public_reason").$type<PublicReason>(),
    /** Number of attestations. */
    attestations: integer().notNull(),
    /** The filter of the list from which all were selected, as its address has it. Null if they were selected one by one. */
    filter: jsonb().$type<Record<string, string>>(),
    /** How many matched the filter when the member selected them. Some may have ended before they confirmed. */
    seen: integer(),
    authorId: text("author_id").notNull(),
    authorName: text("author_name").notNull(),
    /** Who cancelled the rest before all were revoked. */
    cancellerName: text("canceller_name"),
    requestId: text("request_id").notNull(),
    createdAt: time("created_at").notNull(),
    /** In the future while the list waits for approval: the time at which its request expires. */
    endedAt: time("ended_at"),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    check("bulk_revocations_reason", sql`(ended_at is null) = (reason is not null)`),
    check("bulk_revocations_cancelled", sql`canceller_name is null or ended_at is not null`),
    // Open bulk revocations of a workspace
    index("bulk_revocations_own_open").on(t.workspaceId, t.createdAt).where(sql`ended_at is null`),
    // The queue of workers
    index("bulk_revocations_open").on(t.createdAt).where(sql`ended_at is null`),
    // Retention
    index("bulk_revocations_ended").on(t.endedAt).where(sql`ended_at is not null`),
  ],
)

/** One attestation of a bulk revocation, and its outcome. The id is the requested one, which may not exist. */
export const bulkRevocationItems = pgTable(
  "bulk_revocation_items",
  {
    workspaceId: text("workspace_id").notNull(),
    revocationId: text("revocation_id").notNull(),
    place: smallint().notNull(),
    attestationId: text("attestation_id").notNull(),
    /** Its status when the member selected it: the list revokes none with another one. Null in lists of an older version. */
    seenStatus: text("seen_status").$type<"pending" | "verified">(),
    /** Null while it waits. */
    outcome: text().$type<"revoked" | "ended before" | "failed" | "left">(),
    failure: text().$type<RevocationFailure>(),
    /** How often it failed for a reason that may pass. */
    attempts: smallint().notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.revocationId, t.place] }),
    refersTo(bulkRevocations, t.workspaceId, t.revocationId).onDelete("cascade"),
    check("bulk_revocation_items_seen_status", sql`${t.seenStatus} in ('pending', 'verified')`),
    check("bulk_revocation_items_outcome", sql`${t.outcome} in ('revoked', 'ended before', 'failed', 'left')`),
    check("bulk_revocation_items_failure", sql`(outcome is not distinct from 'failed') = (failure is not null)`),
    // The next one
    index("bulk_revocation_items_next")
      .on(t.workspaceId, t.revocationId, t.attempts, t.place)
      .where(sql`outcome is null`),
  ],
)
