import { type Sql, sql } from "#db/client.ts"
import { ownClockDiffers } from "#db/clock.ts"
import { type Deployment, deployment } from "#domain/deployment"
import { logger } from "#server/lib/log.ts"
import { limitsStrangers } from "#server/settings/env.ts"
import { fail } from "#shared/errors.ts"
import { currentAttempt } from "./attempt.ts"
import { authSecrets } from "./auth-secrets.ts"
import { authTables } from "./auth-tables.ts"
import { guards, refuseStaleSessions } from "./guards.ts"
import { hashPassword, verifyPassword } from "./password.ts"

/** The path of better-auth's endpoints. */
export const AUTH_PATH = "/api/auth"

/** The shortest password allowed. Length makes a password hard to guess. */
export const MIN_PASSWORD = 12
export const MAX_PASSWORD = 128
/** The client's address for better-auth's rate limits. Vouch sets this header itself and ignores a client's value. */
export const CLIENT_ADDRESS = "x-vouch-client-address"

/** The highest counter of a passkey that its column can store. */
const MAX_COUNTER = 2 ** 31 - 1
const SESSION_SECONDS = 7 * 86_400
/** How often to record that a session was used. Each time costs a write. */
const SEEN_SECONDS = 3600

export type Auth = Awaited<ReturnType<typeof build>>

const opened = new WeakMap<Deployment, Promise<Auth>>()

/**
 * better-auth, loaded with the first sign-in because it needs 50 MB that an API-only server can save. It uses this
 * machine's clock, so no one can sign in or out while the clock is wrong. Errors: database_unavailable.
 */
export async function openAuth(): Promise<Auth> {
  if (ownClockDiffers()) {
    fail("database_unavailable", "Sign-in is not available because this server's clock is wrong. Retry in a moment.", {
      retryAfterSeconds: 1,
    })
  }
  let auth = opened.get(deployment)
  if (!auth) {
    auth = build(deployment, sql)
    opened.set(deployment, auth)
  }
  return auth
}

async function build({ origin, isPublic, dataKeys, settings }: Deployment, database: Sql) {
  const [{ betterAuth }, { twoFactor }, { passkey }] = await Promise.all([
    import("better-auth"),
    import("better-auth/plugins/two-factor"),
    import("@better-auth/passkey"),
  ])
  const times = { createdAt: "created_at", updatedAt: "updated_at" }
  return betterAuth({
    appName: "Vouch",
    baseURL: origin,
    basePath: AUTH_PATH,
    ...(await authSecrets(dataKeys, database)),
    database: await authTables(database),
    trustedOrigins: isPublic ? [origin] : localOrigins(origin),
    telemetry: { enabled: false },
    databaseHooks: refuseStaleSessions,
    // Otherwise better-auth prints unknown errors unmasked and sends no answer.
    onAPIError: { throw: true },
    logger: {
      // Log only the message, because its arguments may contain personal data.
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
      // Ask the database each time, so that signing out everywhere takes effect at once.
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
      storeIdentifier: "hashed",
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
        "/two-factor/*": { window: 60, max: 10 },
        "/get-session": false,
      },
    },
    emailAndPassword: {
      enabled: true,
      // People can sign up only with a link, through `join.ts`.
      disableSignUp: true,
      minPasswordLength: MIN_PASSWORD,
      maxPasswordLength: MAX_PASSWORD,
      password: {
        hash: hashPassword,
        verify: verifyPassword,
      },
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
      await guards({ isLimited: limitsStrangers(settings), dataKeys }),
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
        // A passkey counts as two factors: the device, and the fingerprint, face or PIN that it asks for.
        authenticatorSelection: { residentKey: "preferred", userVerification: "required" },
        registration: {
          afterVerification: async ({ verification }) => {
            const { userVerified, credential } = verification.registrationInfo!
            await requireVerified(userVerified)
            const attempt = currentAttempt()
            if (attempt) attempt.isProven = credential.counter <= MAX_COUNTER
          },
        },
        authentication: {
          afterVerification: ({ verification }) => requireVerified(verification.authenticationInfo.userVerified),
        },
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

/** Errors: USER_NOT_VERIFIED, for a passkey that did not ask for a fingerprint, face or PIN. */
async function requireVerified(userVerified: boolean | undefined): Promise<void> {
  if (userVerified) return
  const { APIError } = await import("better-auth/api")
  throw new APIError("BAD_REQUEST", {
    code: "USER_NOT_VERIFIED",
    message: "The passkey did not verify you. Turn on its fingerprint, face or PIN, and try again.",
  })
}

/** A browser on this machine may use any of its names. */
function localOrigins(origin: string): string[] {
  const { protocol, port } = new URL(origin)
  const end = port === "" ? "" : `:${port}`
  return ["localhost", "127.0.0.1", "[::1]"].map((host) => `${protocol}//${host}${end}`)
}

/** The ways to sign in that this server offers. */
export const signInOptions = () => ({
  /** Whether it can send mail. Otherwise a forgotten password needs the operator. */
  mail: deployment.settings.VOUCH_SMTP_URL !== undefined,
  min_password: MIN_PASSWORD,
})
