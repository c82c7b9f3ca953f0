import { sql } from "drizzle-orm"
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core"
import type { NotificationKind } from "#shared/notifications.ts"
import type { Role } from "#shared/roles.ts"
import type { FilteredList } from "#shared/saved-filters.ts"
import { ofAccount, ofWorkspace } from "./accounts.ts"
import { bytes, time } from "./columns.ts"

// People who sign in to the dashboard. Tables up to `auth_rate_limits` belong to better-auth, which requires these
// columns; `server/domain/people/auth.ts` maps its names (its `account` is a way to sign in, not a customer).

export const users = pgTable("users", {
  id: text().primaryKey(),
  name: text().notNull(),
  email: text().notNull().unique(),
  /** Whether they opened a link that Vouch sent to the address. Until then the address only names them. */
  emailVerified: boolean("email_verified").notNull(),
  image: text(),
  /** The time zone for display (IANA name); null for the browser's. */
  timeZone: text("time_zone"),
  twoFactorEnabled: boolean("two_factor_enabled").notNull().default(false),
  /** Counts password resets. A sign-in that began before one gets no session after it. */
  signInGeneration: integer("sign_in_generation").notNull().default(0),
  createdAt: time("created_at").notNull(),
  updatedAt: time("updated_at").notNull(),
})

/** The user that a row belongs to. Deleting the user deletes the row. */
export const ofUser = () =>
  text("user_id")
    .notNull()
    .references(() => users.id, { onDelete: "cascade" })

export const userSessions = pgTable(
  "user_sessions",
  {
    id: text().primaryKey(),
    token: text().notNull().unique(),
    userId: ofUser(),
    expiresAt: time("expires_at").notNull(),
    ipAddress: text("ip_address"),
    userAgent: text("user_agent"),
    /** Whether two factors were proven: a password and a code, or a passkey. */
    twoFactor: boolean("two_factor").notNull().default(false),
    /** When it last proved a second factor. Null before, and if version 0.1.0 recorded the proof. */
    twoFactorAt: time("two_factor_at"),
    createdAt: time("created_at").notNull(),
    updatedAt: time("updated_at").notNull(),
  },
  (t) => [
    index("user_sessions_user").on(t.userId),
    // Expired sessions
    index("user_sessions_expires").on(t.expiresAt),
  ],
)

export const userCredentials = pgTable(
  "user_credentials",
  {
    id: text().primaryKey(),
    accountId: text("account_id").notNull(),
    providerId: text("provider_id").notNull(),
    userId: ofUser(),
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

/** Unanswered challenges: second factors, passkeys. */
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
    // Challenges of one person. By hash, because a value may be too long for a B-tree.
    index("user_verifications_value").using("hash", t.value),
    // Expired challenges
    index("user_verifications_expires").on(t.expiresAt),
  ],
)

export const userTwoFactors = pgTable(
  "user_two_factors",
  {
    id: text().primaryKey(),
    /** Sealed with the deployment's own secret, like the codes. */
    secret: text().notNull(),
    backupCodes: text("backup_codes").notNull(),
    userId: ofUser(),
    verified: boolean().notNull().default(true),
    failedVerificationCount: integer("failed_verification_count").notNull().default(0),
    lockedUntil: time("locked_until"),
    /** The 30-second step of the last accepted code: codes up to it are not accepted again. */
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
    userId: ofUser(),
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

/** Links sent to a person by mail: to choose a new password, or to confirm the address. One of each is valid. */
export const userLinks = pgTable(
  "user_links",
  {
    userId: ofUser(),
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

/** Who may enter which account's workspaces, and in which role. */
export const members = pgTable(
  "members",
  {
    accountId: ofAccount(),
    userId: ofUser(),
    role: text().$type<Role>().notNull(),
    /** Who made them a reviewer while a policy is about reviews; null once another reviewer has confirmed it. */
    admittedBy: text("admitted_by"),
    /** What they do not want mails about. */
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

/** How many mails were sent to an address, or for an account, on a day (UTC): both have a limit. */
export const mailCounts = pgTable("mail_counts", {
  /** An account's id, or the purpose of the mail and the address's SHA-256. */
  subject: text().primaryKey(),
  /** The start of that day. */
  day: time("day").notNull(),
  count: integer().notNull(),
})

/** Links that make their bearer a member, once. The first owner's is one, without an inviter. */
export const invitations = pgTable(
  "invitations",
  {
    accountId: ofAccount(),
    id: text().notNull(),
    /** SHA-256 of the link's token. */
    tokenHash: bytes("token_hash").notNull().unique(),
    role: text().$type<Role>().notNull(),
    /** The invited address; null if the link's bearer chooses one. */
    email: text(),
    /** Whether the link was only sent to that address, and shown to no one else. */
    mailed: boolean().notNull().default(false),
    /** SHA-256 of a second link's token, mailed to the address that the first link's bearer gave. */
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

/** Mails to members, each sent once, or once a day while its reason lasts. */
export const notifications = pgTable(
  "notifications",
  {
    workspaceId: ofWorkspace(),
    userId: ofUser(),
    kind: text().$type<NotificationKind>().notNull(),
    /** The subject, unique within a kind. */
    subject: text().notNull(),
    /** The facts for the mail. */
    data: jsonb().$type<Record<string, unknown>>().notNull(),
    attempts: integer().notNull().default(0),
    nextAttemptAt: time("next_attempt_at").notNull(),
    /** When it was recorded; renewed each day that it lasts. */
    createdAt: time("created_at").notNull(),
    sentAt: time("sent_at"),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.userId, t.kind, t.subject] }),
    // The queue of mails
    index("notifications_due").on(t.nextAttemptAt).where(sql`sent_at is null`),
    // Notifications of a person who leaves
    index("notifications_user").on(t.userId),
  ],
)

/** A person's named filter of a list. */
export const savedFilters = pgTable(
  "saved_filters",
  {
    workspaceId: ofWorkspace(),
    userId: ofUser(),
    id: text().notNull(),
    list: text().$type<FilteredList>().notNull(),
    name: text().notNull(),
    /** In the form of the page's address. */
    filter: jsonb().$type<Record<string, string>>().notNull(),
    createdAt: time("created_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.userId, t.id] }),
    uniqueIndex("saved_filters_name").on(t.workspaceId, t.userId, t.list, t.name),
    // Filters of a person who leaves
    index("saved_filters_user").on(t.userId),
  ],
)
