import { sql } from "drizzle-orm"
import { bigint, boolean, check, index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core"
import type { Role } from "#shared/roles.ts"
import { accounts } from "./accounts.ts"
import { bytes, time } from "./columns.ts"

// People who sign in to the dashboard. Tables up to `auth_rate_limits` belong to better-auth, which asks for these
// columns; `server/domain/people/auth.ts` maps its names (its `account` is a way to sign in, not a customer of ours).

export const users = pgTable("users", {
  id: text().primaryKey(),
  name: text().notNull(),
  email: text().notNull().unique(),
  /** Whether they opened a link that Vouch mailed to the address: until then it is a name to sign in with, no more. */
  emailVerified: boolean("email_verified").notNull(),
  image: text(),
  /** The zone that times are shown in (IANA's name); null for the browser's. */
  timeZone: text("time_zone"),
  twoFactorEnabled: boolean("two_factor_enabled").notNull().default(false),
  /** Counts the resets. A sign-in that began before one gets no session after it. */
  signInGeneration: integer("sign_in_generation").notNull().default(0),
  createdAt: time("created_at").notNull(),
  updatedAt: time("updated_at").notNull(),
})

const userId = () =>
  text("user_id")
    .notNull()
    .references(() => users.id, { onDelete: "cascade" })

export const userSessions = pgTable(
  "user_sessions",
  {
    id: text().primaryKey(),
    token: text().notNull().unique(),
    userId: userId(),
    expiresAt: time("expires_at").notNull(),
    ipAddress: text("ip_address"),
    userAgent: text("user_agent"),
    /** Whether two factors were proven in it: a password and a code, or a passkey. */
    twoFactor: boolean("two_factor").notNull().default(false),
    createdAt: time("created_at").notNull(),
    updatedAt: time("updated_at").notNull(),
  },
  (t) => [
    index("user_sessions_user").on(t.userId),
    // Those that have expired
    index("user_sessions_expires").on(t.expiresAt),
  ],
)

export const userCredentials = pgTable(
  "user_credentials",
  {
    id: text().primaryKey(),
    accountId: text("account_id").notNull(),
    providerId: text("provider_id").notNull(),
    userId: userId(),
    accessToken: text("access_token"),
    refreshToken: text("refresh_token"),
    idToken: text("id_token"),
    accessTokenExpiresAt: time("access_token_expires_at"),
    refreshTokenExpiresAt: time("refresh_token_expires_at"),
    scope: text(),
    /** scrypt hash. */
    password: text(),
    createdAt: time("created_at").notNull(),
    updatedAt: time("updated_at").notNull(),
  },
  (t) => [index("user_credentials_user").on(t.userId)],
)

/** Challenges that wait to be answered: second factors, passkeys. */
export const userVerifications = pgTable(
  "user_verifications",
  {
    id: text().primaryKey(),
    identifier: text().notNull(),
    value: text().notNull(),
    expiresAt: time("expires_at").notNull(),
    createdAt: time("created_at").notNull(),
    updatedAt: time("updated_at").notNull(),
  },
  (t) => [
    index("user_verifications_identifier").on(t.identifier),
    // Those of one person. By its hash: a value may be longer than a B-tree takes.
    index("user_verifications_value").using("hash", t.value),
    // Those that have expired
    index("user_verifications_expires").on(t.expiresAt),
  ],
)

export const userTwoFactors = pgTable(
  "user_two_factors",
  {
    id: text().primaryKey(),
    /** Sealed with the deployment's own secret, as are the codes. */
    secret: text().notNull(),
    backupCodes: text("backup_codes").notNull(),
    userId: userId(),
    verified: boolean().notNull().default(true),
    failedVerificationCount: integer("failed_verification_count").notNull().default(0),
    lockedUntil: time("locked_until"),
    /** The 30-second step of the last code that was taken: none up to it is taken again. */
    lastStep: integer("last_step"),
  },
  (t) => [index("user_two_factors_user").on(t.userId)],
)

export const userPasskeys = pgTable(
  "user_passkeys",
  {
    id: text().primaryKey(),
    name: text(),
    publicKey: text("public_key").notNull(),
    userId: userId(),
    credentialId: text("credential_id").notNull(),
    counter: integer().notNull(),
    deviceType: text("device_type").notNull(),
    backedUp: boolean("backed_up").notNull(),
    transports: text(),
    aaguid: text(),
    createdAt: time("created_at"),
  },
  (t) => [index("user_passkeys_user").on(t.userId), index("user_passkeys_credential").on(t.credentialId)],
)

export const authRateLimits = pgTable("auth_rate_limits", {
  id: text().primaryKey(),
  key: text().notNull().unique(),
  count: integer().notNull(),
  lastRequest: bigint("last_request", { mode: "number" }).notNull(),
})

/** Links that a person gets by mail: to choose a new password, or to confirm the address. One of each works. */
export const userLinks = pgTable(
  "user_links",
  {
    userId: userId(),
    kind: text().notNull(),
    /** SHA-256 of the link's token. */
    tokenHash: bytes("token_hash").notNull().unique(),
    createdAt: time("created_at").notNull(),
    expiresAt: time("expires_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.kind] }),
    check("user_links_kind", sql`${t.kind} in ('reset', 'confirm')`),
  ],
)

/** Who may enter which customer's workspaces, and as what. */
export const members = pgTable(
  "members",
  {
    accountId: text("account_id")
      .notNull()
      .references(() => accounts.id),
    userId: userId(),
    role: text().$type<Role>().notNull(),
    /** Who let them become a reviewer while four eyes are on; null once another reviewer has confirmed that. */
    admittedBy: text("admitted_by"),
    /** What they do not want to be mailed about. */
    mutedNotifications: text("muted_notifications").array().notNull().default(sql`'{}'`),
    createdAt: time("created_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.userId] }),
    check("members_role", sql`${t.role} in ('owner', 'developer', 'compliance', 'viewer')`),
    // The workspaces of a user
    index("members_user").on(t.userId),
  ],
)

/** Links that make their bearer a member, once. The first owner's is one, without an inviter. */
/** How many mails an address or an account has had on a day (UTC): both have a limit. */
export const mailCounts = pgTable("mail_counts", {
  /** An account's id, or why an address is written to and its SHA-256. */
  subject: text().primaryKey(),
  /** The day's first instant. */
  day: time("day").notNull(),
  count: integer().notNull(),
})

export const invitations = pgTable(
  "invitations",
  {
    accountId: text("account_id")
      .notNull()
      .references(() => accounts.id),
    id: text().notNull(),
    /** SHA-256 of the link's token. */
    tokenHash: bytes("token_hash").notNull().unique(),
    role: text().$type<Role>().notNull(),
    /** The invited address; null lets anyone with the link choose. */
    email: text(),
    /** Whether the link was mailed to that address and shown to nobody else. */
    mailed: boolean().notNull().default(false),
    /**
     * SHA-256 of the token of a second link to the same, mailed to the address that the bearer of the first one gave.
     */
    proofHash: bytes("proof_hash").unique(),
    proofEmail: text("proof_email"),
    proofSentAt: time("proof_sent_at"),
    invitedBy: text("invited_by").references(() => users.id, { onDelete: "set null" }),
    createdAt: time("created_at").notNull(),
    expiresAt: time("expires_at").notNull(),
    usedAt: time("used_at"),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.id] }),
    check("invitations_role", sql`${t.role} in ('owner', 'developer', 'compliance', 'viewer')`),
  ],
)
