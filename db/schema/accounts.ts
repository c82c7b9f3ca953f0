import { sql } from "drizzle-orm"
import { bigint, boolean, check, index, integer, jsonb, pgTable, primaryKey, text, unique } from "drizzle-orm/pg-core"
import type { Address } from "#shared/address.ts"
import type { Mode } from "#shared/mode.ts"
import type { ChosenPolicies } from "#shared/monitoring.ts"
import type { Scope } from "#shared/scopes.ts"
import { bytes, refersTo, time } from "./columns.ts"

/** The account that a row belongs to. */
export const ofAccount = () =>
  text("account_id")
    .notNull()
    .references(() => accounts.id)

/** The workspace that a row belongs to. */
export const ofWorkspace = () =>
  text("workspace_id")
    .notNull()
    .references(() => workspaces.id)

/** A company that uses Vouch: its name, plan and settings. */
export const accounts = pgTable(
  "accounts",
  {
    id: text().primaryKey(),
    name: text().notNull().unique(),
    plan: text().notNull(),
    /** Attestations included per calendar month in the live workspace; null for no limit. */
    included: integer(),
    /** Whether its members need a second factor. */
    secondFactorRequired: boolean("second_factor_required").notNull().default(false),
    // Only for processes of 0.1.0 during an upgrade, whose setting is an approval policy since then.
    fourEyes: boolean("four_eyes").notNull().default(false),
    fourEyesOffBy: text("four_eyes_off_by"),
    fourEyesOffAt: time("four_eyes_off_at"),
    /** What the hosted page shows besides the name: a color as #rrggbb, a contact for investors, and a logo. */
    brandColor: text("brand_color"),
    contact: text(),
    /** A PNG, JPEG or WebP, validated at upload. */
    logo: bytes(),
    /** SHA-256 of the logo, which is its address. */
    logoHash: bytes("logo_hash"),
    logoWidth: integer("logo_width"),
    logoHeight: integer("logo_height"),
    createdAt: time("created_at").notNull(),
  },
  (t) => [
    check("accounts_brand_color", sql`${t.brandColor} ~ '^#[0-9a-f]{6}$'`),
    check("accounts_logo", sql`num_nulls(${t.logo}, ${t.logoHash}, ${t.logoWidth}, ${t.logoHeight}) in (0, 4)`),
    // A logo by its address
    index("accounts_logo_hash").on(t.logoHash).where(sql`logo_hash is not null`),
    check("accounts_plan", sql`${t.plan} in ('free', 'growth', 'enterprise')`),
    check("accounts_included", sql`${t.included} >= 0`),
  ],
)

/** One of the two workspaces of an account. Every row of the domain belongs to exactly one. */
export const workspaces = pgTable(
  "workspaces",
  {
    id: text().primaryKey(),
    accountId: ofAccount(),
    mode: text().$type<Mode>().notNull(),
    /** The authority of new mints, to which older mints are moved. */
    authority: text().$type<Address>().notNull(),
    /** The key that pays for its transactions; null for its mode's. */
    feePayer: text("fee_payer").$type<Address>(),
    /** Limit of what its transactions may cost in a calendar month, in lamports; null for no limit. */
    budget: bigint({ mode: "bigint" }),
    /** What happens automatically when a wallet or a person has a match or a signal, if it differs from the default. */
    policies: jsonb().$type<ChosenPolicies>().notNull().default({}),
    /** Whether investors get a reminder by email before a verification expires. */
    reminders: boolean().notNull().default(false),
    createdAt: time("created_at").notNull(),
  },
  (t) => [
    unique("workspaces_account_mode").on(t.accountId, t.mode),
    check("workspaces_budget", sql`${t.budget} >= 0`),
    check("workspaces_mode", sql`${t.mode} in ('live', 'test')`),
    // Workspaces with their own fee payer: its balance is watched
    index("workspaces_fee_payer").on(t.mode, t.feePayer).where(sql`fee_payer is not null`),
  ],
)

/** A key that was given to a workspace. */
const givenKey = () => ({
  workspaceId: ofWorkspace(),
  address: text().$type<Address>().notNull(),
  /** URI of the signer (`server/solana/signers/`). */
  uri: text().notNull(),
  createdAt: time("created_at").notNull(),
})

/** Keys that issue for a workspace or once did: what an old one signed stays on chain. */
export const workspaceAuthorities = pgTable("workspace_authorities", givenKey(), (t) => [
  primaryKey({ columns: [t.workspaceId, t.address] }),
  // Whether an address is such a key, and not a wallet
  index("workspace_authorities_address").on(t.address),
])

/** Keys that pay for a workspace or once did. Without one, its mode's pays. */
export const workspaceFeePayers = pgTable("workspace_fee_payers", givenKey(), (t) => [
  primaryKey({ columns: [t.workspaceId, t.address] }),
  // Whether an address is such a key, and not a wallet
  index("workspace_fee_payers_address").on(t.address),
])

export const apiKeys = pgTable(
  "api_keys",
  {
    workspaceId: ofWorkspace(),
    id: text().notNull(),
    name: text().notNull(),
    scopes: text().array().$type<Scope[]>().notNull(),
    expiresAt: time("expires_at"),
    revokedAt: time("revoked_at"),
    lastUsedAt: time("last_used_at"),
    createdAt: time("created_at").notNull(),
    /** The user who created it; rotation keeps it. Null for the first keys and those of the command line. */
    createdBy: text("created_by"),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.id] })],
)

/** The secrets of a key: one, or two during a rotation's grace period. */
export const keySecrets = pgTable(
  "key_secrets",
  {
    /** SHA-256 of the whole key. */
    hash: bytes().primaryKey(),
    workspaceId: text("workspace_id").notNull(),
    keyId: text("key_id").notNull(),
    /** The key's first characters, to recognise it by. */
    start: text().notNull(),
    /** End of the grace period of a rotated secret. */
    validUntil: time("valid_until"),
    createdAt: time("created_at").notNull(),
    /** The user who created it and saw its secret; null for the first keys and those of the command line. */
    shownTo: text("shown_to"),
  },
  (t) => [
    unique("key_secrets_key").on(t.workspaceId, t.keyId, t.hash),
    refersTo(apiKeys, t.workspaceId, t.keyId).onDelete("cascade"),
  ],
)

/** Sessions started in a calendar month (UTC) that count against the quota: reserved and issued. */
export const usagePeriods = pgTable(
  "usage_periods",
  {
    workspaceId: ofWorkspace(),
    /** First day of the month, `YYYY-MM-01`. */
    period: text().notNull(),
    used: integer().notNull(),
    /** All sessions started in the month. Bounded, because their rows are kept. */
    started: bigint({ mode: "bigint" }).notNull().default(sql`0`),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.period] }), check("usage_periods_used", sql`${t.used} >= 0`)],
)

/** The request of an Idempotency-Key, and the first answer to it (docs/contract.md). */
export const idempotencyRecords = pgTable(
  "idempotency_records",
  {
    workspaceId: text("workspace_id").notNull(),
    keyId: text("key_id").notNull(),
    idempotencyKey: text("idempotency_key").notNull(),
    fingerprint: bytes().notNull(),
    /** Id of the session or operation that the request created; a repeat joins it. */
    subject: text(),
    status: integer(),
    body: bytes(),
    createdAt: time("created_at").notNull(),
    /** Its person was erased: an answer computed before the erasure must not be stored after it. */
    erased: boolean().notNull().default(false),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.keyId, t.idempotencyKey] }),
    // Retention
    index("idempotency_records_created").on(t.createdAt),
  ],
)
