import { sql } from "drizzle-orm"
import { check, foreignKey, index, integer, pgTable, primaryKey, text, unique } from "drizzle-orm/pg-core"
import type { Mode } from "#shared/mode.ts"
import type { Scope } from "#shared/scopes.ts"
import { bytes, time } from "./columns.ts"

/** A customer: a name and a plan. */
export const accounts = pgTable(
  "accounts",
  {
    id: text().primaryKey(),
    name: text().notNull().unique(),
    plan: text().notNull(),
    /** Attestations included per calendar month in the live workspace; null means without limit. */
    included: integer(),
    createdAt: time("created_at").notNull(),
  },
  (t) => [
    check("accounts_plan", sql`${t.plan} in ('free', 'growth', 'enterprise')`),
    check("accounts_included", sql`${t.included} >= 0`),
  ],
)

/** One of the two workspaces of an account. Every row of the domain belongs to exactly one. */
export const workspaces = pgTable(
  "workspaces",
  {
    id: text().primaryKey(),
    accountId: text("account_id")
      .notNull()
      .references(() => accounts.id),
    mode: text().$type<Mode>().notNull(),
    /** Address of the workspace's issuer on chain; null until the ledger first signs for it. */
    authority: text(),
    createdAt: time("created_at").notNull(),
  },
  (t) => [
    unique("workspaces_account_mode").on(t.accountId, t.mode),
    check("workspaces_mode", sql`${t.mode} in ('live', 'test')`),
  ],
)

export const apiKeys = pgTable(
  "api_keys",
  {
    workspaceId: text("workspace_id")
      .notNull()
      .references(() => workspaces.id),
    id: text().notNull(),
    name: text().notNull(),
    scopes: text().array().$type<Scope[]>().notNull(),
    expiresAt: time("expires_at"),
    revokedAt: time("revoked_at"),
    lastUsedAt: time("last_used_at"),
    createdAt: time("created_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.id] })],
)

/** The secrets that a key answers to: one, or two while a rotation's grace period runs. */
export const keySecrets = pgTable(
  "key_secrets",
  {
    /** SHA-256 of the whole key. */
    hash: bytes().primaryKey(),
    workspaceId: text("workspace_id").notNull(),
    keyId: text("key_id").notNull(),
    /** The key's first characters, to recognise it by. */
    start: text().notNull(),
    /** End of the grace period of a secret that was rotated out. */
    validUntil: time("valid_until"),
    createdAt: time("created_at").notNull(),
    /** The user who made it, and saw it; null for the command line's, and the first ones. */
    shownTo: text("shown_to"),
  },
  (t) => [
    unique("key_secrets_key").on(t.workspaceId, t.keyId, t.hash),
    foreignKey({
      columns: [t.workspaceId, t.keyId],
      foreignColumns: [apiKeys.workspaceId, apiKeys.id],
    }).onDelete("cascade"),
  ],
)

/** Sessions started in a calendar month (UTC) that have not been given back: reserved and issued. */
export const usagePeriods = pgTable(
  "usage_periods",
  {
    workspaceId: text("workspace_id")
      .notNull()
      .references(() => workspaces.id),
    /** First day of the month, `YYYY-MM-01`. */
    period: text().notNull(),
    used: integer().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.period] }),
    check("usage_periods_used", sql`${t.used} >= 0`),
  ],
)

/** What a request with an Idempotency-Key began, and the first answer to it (docs/contract.md). */
export const idempotencyRecords = pgTable(
  "idempotency_records",
  {
    workspaceId: text("workspace_id").notNull(),
    keyId: text("key_id").notNull(),
    idempotencyKey: text("idempotency_key").notNull(),
    fingerprint: bytes().notNull(),
    /** Id of the session or operation that the request began; a repeat joins it. */
    subject: text(),
    status: integer(),
    body: bytes(),
    createdAt: time("created_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.keyId, t.idempotencyKey] }),
    // Retention
    index("idempotency_records_created").on(t.createdAt),
  ],
)
