import { sql } from "drizzle-orm"
import { bigint, boolean, check, index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core"
import { accounts } from "./accounts.ts"
import { bytes, time } from "./columns.ts"

// People who sign in to the dashboard. Tables up to `auth_rate_limits` belong to better-auth, which asks for these
// columns; `server/users/auth.ts` maps its names (its `account` is a way to sign in, not a customer of ours).

export const users = pgTable("users", {
  id: text().primaryKey(),
  name: text().notNull(),
  email: text().notNull().unique(),
  emailVerified: boolean("email_verified").notNull(),
  image: text(),
  twoFactorEnabled: boolean("two_factor_enabled").notNull().default(false),
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
    createdAt: time("created_at").notNull(),
    updatedAt: time("updated_at").notNull(),
  },
  (t) => [index("user_sessions_user").on(t.userId)],
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

/** Links and challenges that wait to be used: password resets, second factors, passkeys. */
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
  (t) => [index("user_verifications_identifier").on(t.identifier)],
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

/** Who may enter which customer's workspaces, and as what. */
export const members = pgTable(
  "members",
  {
    accountId: text("account_id")
      .notNull()
      .references(() => accounts.id),
    userId: userId(),
    role: text().notNull(),
    createdAt: time("created_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.userId] }),
    check("members_role", sql`${t.role} in ('owner', 'developer', 'viewer')`),
    // The workspaces of a user
    index("members_user").on(t.userId),
  ],
)

/** Links that make their bearer a member, once. The first owner's is one, without an inviter. */
export const invitations = pgTable(
  "invitations",
  {
    accountId: text("account_id")
      .notNull()
      .references(() => accounts.id),
    id: text().notNull(),
    /** SHA-256 of the link's token. */
    tokenHash: bytes("token_hash").notNull().unique(),
    role: text().notNull(),
    /** Whom it is for; null lets the bearer say. */
    email: text(),
    invitedBy: text("invited_by").references(() => users.id, { onDelete: "set null" }),
    createdAt: time("created_at").notNull(),
    expiresAt: time("expires_at").notNull(),
    usedAt: time("used_at"),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.id] }),
    check("invitations_role", sql`${t.role} in ('owner', 'developer', 'viewer')`),
  ],
)
