import { hkdfSync } from "node:crypto"
import { type Sql, sql } from "#db/client.ts"
import { ownClockDiffers } from "#server/database-clock.ts"
import { type Deployment, deployment } from "#server/deployment.ts"
import { limitsStrangers } from "#server/env.ts"
import { fail } from "#server/errors.ts"
import { logger } from "#server/log.ts"
import { addSeconds, clock } from "#server/time.ts"
import { mailer } from "./mail.ts"
import { newToken } from "./token.ts"

/** Shortest password that is taken; length is what makes one hard to guess. */
export const MIN_PASSWORD = 12
export const MAX_PASSWORD = 128
/** Header by which better-auth learns the client's address, for its rates. Set by us on every request, never believed. */
export const CLIENT_ADDRESS = "x-vouch-client-address"

const SESSION_SECONDS = 7 * 86_400
/** How exactly a session knows when it was last used; each time costs a write. */
const SEEN_SECONDS = 3600
const RESET_SECONDS = 3600

export type Auth = Awaited<ReturnType<typeof build>>

const opened = new WeakMap<Deployment, Promise<Auth>>()

/**
 * better-auth. Loaded with the first sign-in: it takes 50 MB that a server of the API alone need not have. It goes by
 * this machine's clock, so that nobody is signed in, or out, while that is wrong. Errors: database_unavailable.
 */
export async function openAuth(): Promise<Auth> {
  if (ownClockDiffers()) {
    fail(
      "database_unavailable",
      "This server's clock is wrong, so nobody can sign in here. Retry in a moment.",
    )
  }
  let auth = opened.get(deployment)
  if (!auth) {
    auth = build(deployment, sql)
    opened.set(deployment, auth)
  }
  return auth
}

async function build({ origin, isPublic, dataKey, settings }: Deployment, database: Sql) {
  const [{ betterAuth }, { Kysely }, { PostgresJSDialect }, { twoFactor }, { passkey }] = await Promise.all([
    import("better-auth"),
    import("kysely"),
    import("kysely-postgres-js"),
    import("better-auth/plugins/two-factor"),
    import("@better-auth/passkey"),
  ])
  // The same connections as everything else.
  const kysely = new Kysely<unknown>({ dialect: new PostgresJSDialect({ postgres: database as never }) })
  const { send } = mailer(settings)
  const times = { createdAt: "created_at", updatedAt: "updated_at" }
  return betterAuth({
    appName: "Vouch",
    baseURL: origin,
    basePath: "/api/auth",
    secret: Buffer.from(hkdfSync("sha256", dataKey, "", "vouch dashboard sessions", 32)).toString("base64"),
    database: { db: kysely, type: "postgres", transaction: true },
    trustedOrigins: isPublic ? [origin] : localOrigins(origin),
    telemetry: { enabled: false },
    // Ours say more and take less: a name that is fit to be read by others, and sessions without their tokens.
    disabledPaths: ["/update-user", "/list-sessions", "/revoke-session", "/revoke-sessions"],
    logger: {
      // Only what it says: what it adds may hold a person's data.
      log: (level, message) => logger[level === "error" ? "warn" : "debug"]({ from: "better-auth" }, message),
    },
    user: {
      modelName: "users",
      fields: { emailVerified: "email_verified", ...times },
      changeEmail: { enabled: false },
      deleteUser: { enabled: false },
    },
    session: {
      modelName: "user_sessions",
      fields: {
        userId: "user_id",
        expiresAt: "expires_at",
        ipAddress: "ip_address",
        userAgent: "user_agent",
        ...times,
      },
      expiresIn: SESSION_SECONDS,
      updateAge: SEEN_SECONDS,
      // Asked of the database each time, so that signing out everywhere is at once.
      cookieCache: { enabled: false },
    },
    account: {
      modelName: "user_credentials",
      fields: {
        accountId: "account_id",
        providerId: "provider_id",
        userId: "user_id",
        accessToken: "access_token",
        refreshToken: "refresh_token",
        idToken: "id_token",
        accessTokenExpiresAt: "access_token_expires_at",
        refreshTokenExpiresAt: "refresh_token_expires_at",
        ...times,
      },
    },
    verification: {
      modelName: "user_verifications",
      fields: { expiresAt: "expires_at", ...times },
    },
    rateLimit: {
      enabled: limitsStrangers(settings),
      storage: "database",
      modelName: "auth_rate_limits",
      fields: { lastRequest: "last_request" },
      window: 60,
      max: 100,
      customRules: {
        "/sign-in/email": { window: 60, max: 10 },
        "/request-password-reset": { window: 60, max: 5 },
        "/reset-password": { window: 60, max: 10 },
        "/two-factor/*": { window: 60, max: 10 },
        "/get-session": false,
      },
    },
    emailAndPassword: {
      enabled: true,
      // People come by a link that we gave out, and through `join.ts`.
      disableSignUp: true,
      minPasswordLength: MIN_PASSWORD,
      maxPasswordLength: MAX_PASSWORD,
      resetPasswordTokenExpiresIn: RESET_SECONDS,
      revokeSessionsOnPasswordReset: true,
      ...(send && {
        // Not waited for: how long it takes would tell whether somebody has the address.
        sendResetPassword: async ({ user, token }: { user: { email: string }; token: string }) =>
          void send({
            to: user.email,
            subject: "Choose a new password for Vouch",
            text: `Open this link within an hour to choose a new password:\n\n${resetLink(token)}\n\nIf you did not ask for it, nothing has changed.`,
          }).catch((error) => logger.warn({ err: error }, "a password reset could not be mailed")),
      }),
    },
    advanced: {
      cookiePrefix: "vouch",
      useSecureCookies: origin.startsWith("https:"),
      disableOriginCheck: false,
      disableCSRFCheck: false,
      ipAddress: { ipAddressHeaders: [CLIENT_ADDRESS] },
      defaultCookieAttributes: { sameSite: "lax", httpOnly: true },
    },
    plugins: [
      twoFactor({
        issuer: "Vouch",
        schema: {
          user: { fields: { twoFactorEnabled: "two_factor_enabled" } },
          twoFactor: {
            modelName: "user_two_factors",
            fields: {
              backupCodes: "backup_codes",
              userId: "user_id",
              failedVerificationCount: "failed_verification_count",
              lockedUntil: "locked_until",
            },
          },
        },
      }),
      passkey({
        rpName: "Vouch",
        rpID: new URL(origin).hostname,
        origin,
        schema: {
          passkey: {
            modelName: "user_passkeys",
            fields: {
              publicKey: "public_key",
              userId: "user_id",
              credentialID: "credential_id",
              deviceType: "device_type",
              backedUp: "backed_up",
              createdAt: "created_at",
            },
          },
        },
      }),
    ],
  })
}

/** A browser on this machine may call it by any of its names. */
function localOrigins(origin: string): string[] {
  const { protocol, port } = new URL(origin)
  const end = port === "" ? "" : `:${port}`
  return ["localhost", "127.0.0.1", "[::1]"].map((host) => `${protocol}//${host}${end}`)
}

export const resetLink = (token: string): string => `${deployment.origin}/reset?token=${token}`

/** Makes a link by which a person chooses a new password, once, within an hour. Null when nobody has that address. */
export async function createResetLink(email: string): Promise<string | null> {
  const { internalAdapter } = await (await openAuth()).$context
  const found = await internalAdapter.findUserByEmail(email.toLowerCase())
  if (!found) return null
  const token = newToken()
  await internalAdapter.createVerificationValue({
    identifier: `reset-password:${token}`,
    value: found.user.id,
    expiresAt: addSeconds(clock.now(), RESET_SECONDS),
  })
  return resetLink(token)
}
