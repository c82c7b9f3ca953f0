import { sql } from "drizzle-orm"
import {
  bigint,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core"
import type { AuditActor } from "#shared/statuses.ts"
import { ofAccount, ofWorkspace, workspaces } from "./accounts.ts"
import { bytes, time } from "./columns.ts"

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

/** How far the audit entries of an account are linked. A process that links more of them locks the row. */
export const auditChains = pgTable("audit_chains", {
  accountId: ofAccount().primaryKey(),
  /** Every entry up to this number is linked. */
  seq: bigint({ mode: "bigint" }).notNull(),
})

/**
 * The hash chain of a workspace's audit log: a link for each of its entries, and for each of its account. Triggers refuse
 * changes (`db/functions/triggers.sql`).
 */
export const auditLinks = pgTable(
  "audit_links",
  {
    workspaceId: ofWorkspace(),
    /** 1 for the first entry, then without gaps, in the order of `seq`. */
    place: bigint({ mode: "bigint" }).notNull(),
    /** The entry of the account. */
    seq: bigint({ mode: "bigint" }).notNull(),
    /** SHA-256 of the hash before it and the entry. */
    hash: bytes().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.place] }),
    // The link of an entry
    uniqueIndex("audit_links_entry").on(t.workspaceId, t.seq),
    check("audit_links_hash", sql`length(${t.hash}) = 32 and ${t.place} > 0`),
  ],
)

/** Hashes of the chain that were put on chain. A row is made with its operation. */
export const auditAnchors = pgTable(
  "audit_anchors",
  {
    workspaceId: ofWorkspace(),
    id: text().notNull(),
    place: bigint({ mode: "bigint" }).notNull(),
    hash: bytes().notNull(),
    /** `made` here; `found` on chain after a restore, and not compared yet; `lost`: a restore lost the entries. */
    state: text().$type<"made" | "found" | "lost">().notNull(),
    /** The transaction that carries it; null until it is confirmed. */
    signature: text(),
    createdAt: time("created_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.id] }),
    // The newest of a workspace
    index("audit_anchors_newest").on(t.workspaceId, t.createdAt),
    // What restores found
    index("audit_anchors_found").on(t.workspaceId).where(sql`state = 'found'`),
    check("audit_anchors_state", sql`${t.state} in ('made', 'found', 'lost')`),
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

/** How many requests each key made on each UTC day, also those that the log left out; kept 30 days. */
export const keyUsage = pgTable(
  "key_usage",
  {
    workspaceId: ofWorkspace(),
    keyId: text("key_id").notNull(),
    /** The start of that day. */
    day: time("day").notNull(),
    requests: integer().notNull(),
    /** Those with a status of 400 or above. */
    errors: integer().notNull(),
  },
  (t) => [
    // All keys of a workspace at once
    primaryKey({ columns: [t.workspaceId, t.keyId, t.day] }),
    // Retention
    index("key_usage_day").on(t.day),
  ],
)

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
