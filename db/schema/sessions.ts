import { sql } from "drizzle-orm"
import { index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core"
import type { Mode } from "#shared/mode.ts"
import type { Decision } from "#shared/statuses.ts"
import { attestations } from "./attestations.ts"
import { bytes, refersTo, time } from "./columns.ts"

/** The message that a session's wallet must sign: one at a time, deleted once used. */
export const walletChallenges = pgTable(
  "wallet_challenges",
  {
    workspaceId: text("workspace_id").notNull(),
    attestationId: text("attestation_id").notNull(),
    nonce: text().notNull(),
    /** The network's name in the standard; null if it has none. */
    chainId: text("chain_id"),
    issuedAt: time("issued_at").notNull(),
    expiresAt: time("expires_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.attestationId] }),
    refersTo(attestations, t.workspaceId, t.attestationId),
    index("wallet_challenges_expired").on(t.expiresAt),
  ],
)

/** Provider events that were applied; kept 90 days to recognize repeats. */
export const webhookEvents = pgTable(
  "webhook_events",
  {
    mode: text().$type<Mode>().notNull(),
    provider: text().notNull(),
    eventId: text("event_id").notNull(),
    workspaceId: text("workspace_id").notNull(),
    attestationId: text("attestation_id").notNull(),
    outcome: text().notNull(),
    receivedAt: time("received_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.mode, t.provider, t.eventId] }), index("webhook_events_received").on(t.receivedAt)],
)

/** Submissions of the hosted page's own form, until their webhook is acknowledged. */
export const formSubmissions = pgTable(
  "sandbox_submissions",
  {
    workspaceId: text("workspace_id").notNull(),
    attestationId: text("attestation_id").notNull(),
    eventId: text("event_id").notNull(),
    decision: text().$type<Decision>().notNull(),
    claims: bytes(),
    occurredAt: time("occurred_at").notNull(),
    attempts: integer().notNull().default(0),
    nextAttemptAt: time("next_attempt_at").notNull(),
    deliveredAt: time("delivered_at"),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.attestationId, t.eventId] }),
    refersTo(attestations, t.workspaceId, t.attestationId),
    index("sandbox_submissions_due").on(t.nextAttemptAt).where(sql`delivered_at is null`),
  ],
)
