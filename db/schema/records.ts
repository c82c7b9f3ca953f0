import { sql } from "drizzle-orm"
import { bigint, check, index, integer, jsonb, pgTable, primaryKey, smallint, text } from "drizzle-orm/pg-core"
import type { AuditActor } from "#shared/statuses.ts"
import { ofAccount, ofWorkspace, workspaces } from "./accounts.ts"
import { time } from "./columns.ts"

/** Who changed what, written with the change. Triggers refuse other writes (`db/functions/audit-trail.sql`). */
export const auditEntries = pgTable(
  "audit_entries",
  {
    accountId: ofAccount(),
    seq: bigint({ mode: "bigint" }).notNull().generatedAlwaysAsIdentity(),
    /** Null for changes of the whole account: members, plan. */
    workspaceId: text("workspace_id").references(() => workspaces.id),
    at: time("at").notNull(),
    /** `user`, `key`, `operator` for the command line, or `system` for what Vouch does automatically. */
    actor: text().$type<AuditActor>().notNull(),
    actorId: text("actor_id"),
    /** The actor's name at that time. */
    actorName: text("actor_name").notNull(),
    /** Such as `key.created`. */
    action: text().notNull(),
    /** Id of the changed object. */
    subject: text().notNull(),
    detail: jsonb().$type<Record<string, unknown>>().notNull(),
    requestId: text("request_id"),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.seq] }),
    // The log, newest first; and without mints and transfers, which are most entries
    index("audit_entries_newest").on(t.accountId, t.workspaceId, t.at, t.seq),
    index("audit_entries_besides_tokens")
      .on(t.accountId, t.workspaceId, t.at, t.seq)
      .where(sql`action not like 'token.%'`),
    index("audit_entries_people").on(t.accountId, t.workspaceId, t.at, t.seq).where(sql`actor <> 'key'`),
    // The history of one object
    index("audit_entries_subject").on(t.accountId, t.subject),
    check("audit_entries_actor", sql`${t.actor} in ('user', 'key', 'operator', 'system')`),
  ],
)

/**
 * How many changes API keys recorded on the last UTC day on which they recorded any. Each day has a limit. The count is
 * not in `request_log_usage`, because a change locks this row until it commits, and the request log must not wait for
 * it.
 */
export const changeCounts = pgTable("change_counts", {
  workspaceId: ofWorkspace().primaryKey(),
  /** The start of that day. */
  day: time("day").notNull(),
  count: integer().notNull(),
})

/** How many bytes a workspace's request log recorded on the last UTC day with a request. Each day has a limit. */
export const requestLogUsage = pgTable("request_log_usage", {
  workspaceId: ofWorkspace().primaryKey(),
  /** The start of that day. */
  day: time("day").notNull(),
  bytes: bigint({ mode: "bigint" }).notNull(),
})

/** API requests with a workspace's key; kept 30 days. Secrets and personal data are masked before they are stored. */
export const apiRequests = pgTable(
  "api_requests",
  {
    workspaceId: text("workspace_id").notNull(),
    /** The request id in the response. */
    id: text().notNull(),
    at: time("at").notNull(),
    method: text().notNull(),
    /** Path below /v1, with the query. */
    path: text().notNull(),
    status: smallint().notNull(),
    errorCode: text("error_code"),
    durationUs: integer("duration_us").notNull(),
    keyId: text("key_id").notNull(),
    /** Empty if the day's limit was reached. Bodies are then null, too. */
    headers: jsonb().$type<Record<string, string>>().notNull(),
    requestBody: text("request_body"),
    /** Null for a successful GET. */
    responseBody: text("response_body"),
  },
  (t) => [
    // A request by its id
    primaryKey({ columns: [t.workspaceId, t.id] }),
    // No foreign key: looking each up costs a third of writing it, and no workspace is ever deleted.
    // The log, newest first
    index("api_requests_newest").on(t.workspaceId, t.at.desc(), t.id.desc()),
    // The log by status or class of status, except successes
    index("api_requests_errors").on(t.workspaceId, t.at.desc(), t.id.desc()).where(sql`status >= 400`),
    // Retention
    index("api_requests_at").on(t.at),
  ],
)
