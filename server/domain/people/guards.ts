import { createHmac } from "node:crypto"
import type { BetterAuthOptions, BetterAuthPlugin, GenericEndpointContext } from "better-auth"
import { sql } from "#db/client.ts"
import { RateLimiter } from "#server/lib/rate-limit.ts"
import { clock } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import { currentAttempt } from "./attempt.ts"
import { DEVICE_SECONDS, type Device, deviceCookies } from "./devices.ts"
import { changesFactors, guardFactors, provenTwoFactors, recordTwoFactors } from "./second-factor.ts"

const TOTP_SECONDS = 30
/** How many steps a device's clock may be off, either way. The same as better-auth's. */
const TOTP_WINDOW = 1

/** How many passwords may be tried in a row for one address, and from a browser that has signed in before. */
const MAX_GUESSES = 20
const MAX_GUESSES_RETURNING = 10
/** How long until one more password may be tried. */
const GUESS_SECONDS = 30
const MAX_EMAIL = 254

/** Endpoints that prove two factors: a code after the password, or a passkey. */
const SECOND_STEPS = new Set([
  "/two-factor/verify-totp",
  "/two-factor/verify-backup-code",
  "/passkey/verify-authentication",
])
/** Endpoints where a sign-in can end. */
const LAST_STEPS = new Set(["/sign-in/email", ...SECOND_STEPS])

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")
const emailOf = (ctx: GenericEndpointContext): string => textOf(ctx.body?.email).toLowerCase()

/** Hooks around better-auth's endpoints that close the gaps it leaves. */
export async function guards({
  isLimited,
  dataKeys,
}: {
  isLimited: boolean
  dataKeys: readonly Buffer[]
}): Promise<BetterAuthPlugin> {
  const { createAuthMiddleware, getSessionFromCtx, isAPIError } = await import("better-auth/api")
  const { symmetricDecrypt } = await import("better-auth/crypto")

  const attempts = isLimited ? new RateLimiter(1 / GUESS_SECONDS, MAX_GUESSES) : null
  const returning = isLimited ? new RateLimiter(1 / GUESS_SECONDS, MAX_GUESSES_RETURNING) : null
  const devices = deviceCookies(dataKeys)
  const deviceCookie = (ctx: GenericEndpointContext) =>
    ctx.context.createAuthCookie("device", { path: ctx.context.options.basePath!, maxAge: DEVICE_SECONDS })

  /** The device, if the user with this address signed in from it since their last reset. */
  async function deviceOf(ctx: GenericEndpointContext): Promise<Device | null> {
    const cookie = ctx.getCookie(deviceCookie(ctx).name)
    const device = cookie ? devices.read(cookie) : null
    if (device === null) return null
    const known = await sql`
      select from users where id = ${device.userId} and email = ${emailOf(ctx)}
        and sign_in_generation = ${device.generation}`
    return known.length === 1 ? device : null
  }

  /** The user that a request claims to be, not yet verified. */
  async function personOf(ctx: GenericEndpointContext): Promise<string | null> {
    if (ctx.path === "/sign-in/email") {
      return (await sql<{ id: string }[]>`select id from users where email = ${emailOf(ctx)}`)[0]?.id ?? null
    }
    if (ctx.path === "/passkey/verify-authentication") {
      const credential = textOf(ctx.body?.response?.id)
      const [passkey] = await sql<{ user_id: string }[]>`
        select user_id from user_passkeys where credential_id = ${credential}`
      return passkey?.user_id ?? null
    }
    const session = await getSessionFromCtx(ctx)
    if (session) return session.user.id
    if (!ctx.path?.startsWith("/two-factor/")) return null
    const { secret, createAuthCookie, internalAdapter } = ctx.context
    const challenge = await ctx.getSignedCookie(createAuthCookie("two_factor").name, secret)
    return challenge ? ((await internalAdapter.findVerificationValue(challenge))?.value ?? null) : null
  }

  /** Uses up a code if it is valid now and later than the last one used. Of two simultaneous uses, one succeeds. */
  async function takeCode(ctx: GenericEndpointContext, userId: string, code: string): Promise<boolean> {
    const [factor] = await sql<{ id: string; secret: string }[]>`
      select id, secret from user_two_factors where user_id = ${userId}`
    if (!factor) return true
    const secret = await symmetricDecrypt({ key: ctx.context.secretConfig, data: factor.secret })
    const now = Math.floor(clock.now().getTime() / 1000 / TOTP_SECONDS)
    const steps = Array.from({ length: 2 * TOTP_WINDOW + 1 }, (_, index) => now - TOTP_WINDOW + index)
    const step = steps.find((step) => codeOf(secret, step) === code)
    if (step === undefined) return false
    const taken = await sql`
      update user_two_factors set last_step = ${step}
      where id = ${factor.id} and (last_step is null or last_step < ${step}) returning id`
    return taken.length === 1
  }

  return {
    id: "guards",
    hooks: {
      before: [
        {
          // Counted per email address, from any network, and whether or not the user exists. A browser with a
          // device cookie has its own limit.
          matcher: ({ path }) => path === "/sign-in/email",
          handler: createAuthMiddleware(async (ctx) => {
            const device = await deviceOf(ctx)
            const attempt = currentAttempt()
            if (attempt) attempt.returning = device?.userId ?? null
            const rate = device ? returning?.take(device.nonce) : attempts?.take(emailOf(ctx).slice(0, MAX_EMAIL))
            if (!rate || rate.allowed) return
            const message = `Too many attempts for this address. Retry in ${rate.resetSeconds} s or use a passkey.`
            fail("rate_limited", message, { retryAfterSeconds: rate.resetSeconds })
          }),
        },
        {
          matcher: ({ path }) => path !== "/get-session" && path !== "/sign-out",
          handler: createAuthMiddleware(async (ctx) => {
            const store = currentAttempt()
            if (store === undefined || ctx.request?.method !== "POST") return
            const person = await personOf(ctx)
            const [user] = await sql<{ sign_in_generation: number }[]>`
              select sign_in_generation from users where id = ${person}`
            store.generation = user?.sign_in_generation ?? null
            const current = await getSessionFromCtx(ctx)
            store.twoFactors = current && (await provenTwoFactors(current.session.id))
          }),
        },
        {
          matcher: ({ path }) => changesFactors(path ?? ""),
          handler: createAuthMiddleware(async (ctx) => {
            const current = await getSessionFromCtx(ctx)
            if (current) await guardFactors(current.session.id)
          }),
        },
        {
          // A code works once: better-auth counts a used one as wrong. No browser is exempt from the code, because
          // no page offers it.
          matcher: ({ path }) => path?.startsWith("/two-factor/verify-") ?? false,
          handler: createAuthMiddleware(async (ctx) => {
            const body = { ...ctx.body, trustDevice: false }
            if (ctx.path === "/two-factor/verify-totp") {
              const person = await personOf(ctx)
              const fresh = person !== null && (await takeCode(ctx, person, textOf(ctx.body?.code)))
              if (!fresh) body.code = ""
            }
            return { context: { body } }
          }),
        },
      ],
      after: [
        {
          matcher: () => true,
          handler: createAuthMiddleware(async (ctx) => {
            const { newSession } = ctx.context
            if (!newSession) return
            const { path = "" } = ctx
            if (SECOND_STEPS.has(path)) return recordTwoFactors(newSession.session.id)
            // Changing a password replaces the session. The new one inherits the proof, and when it was given. Signing in
            // inherits nothing: the browser's earlier session may be another person's.
            const proof = LAST_STEPS.has(path) ? null : currentAttempt()?.twoFactors
            if (proof && proof.userId === newSession.user.id) await recordTwoFactors(newSession.session.id, proof.at)
          }),
        },
        {
          // A signed-in user who proves their second factor again keeps their session.
          matcher: ({ path }) => path === "/two-factor/verify-totp" || path === "/two-factor/verify-backup-code",
          handler: createAuthMiddleware(async (ctx) => {
            if (ctx.context.newSession || isAPIError(ctx.context.returned)) return
            const current = await getSessionFromCtx(ctx)
            if (current) await recordTwoFactors(current.session.id)
          }),
        },
        {
          // Registering a passkey proves it, in addition to what the user signed in with.
          matcher: ({ path }) => path === "/passkey/verify-registration",
          handler: createAuthMiddleware(async (ctx) => {
            const current = currentAttempt()?.isProven ? await getSessionFromCtx(ctx) : null
            if (current) await recordTwoFactors(current.session.id)
          }),
        },
        {
          matcher: ({ path }) => LAST_STEPS.has(path ?? ""),
          handler: createAuthMiddleware(async (ctx) => {
            const { newSession } = ctx.context
            const generation = currentAttempt()?.generation ?? null
            if (!newSession || generation === null) return
            // If a second factor must follow, the password's session ends at once.
            if (ctx.path === "/sign-in/email" && newSession.user.twoFactorEnabled) return
            const { name, attributes } = deviceCookie(ctx)
            ctx.setCookie(name, devices.issue(newSession.user.id, generation), attributes)
          }),
        },
        {
          // The plugin does not require user verification at sign-in: its option for that covers only registrations.
          matcher: ({ path }) => path === "/passkey/generate-authenticate-options",
          handler: createAuthMiddleware(async (ctx) => {
            const { returned } = ctx.context
            if (returned !== null && typeof returned === "object" && "challenge" in returned) {
              return ctx.json({ ...returned, userVerification: "required" })
            }
          }),
        },
      ],
    },
  }
}

/** The code of a step (RFC 6238, RFC 4226), of six digits. */
function codeOf(secret: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac("sha1", secret).update(counter).digest()
  const offset = mac.at(-1)! & 0x0f
  return String((mac.readUInt32BE(offset) & 0x7fff_ffff) % 1_000_000).padStart(6, "0")
}

/**
 * Refuses a session that a sign-in from before a reset creates after it. The reset locks the user while it ends all
 * sessions, so a later session sees the new generation.
 */
export const refuseStaleSessions: NonNullable<BetterAuthOptions["databaseHooks"]> = {
  session: {
    create: {
      after: async ({ id, userId }) => {
        const generation = currentAttempt()?.generation ?? null
        const stale = await sql`
          delete from user_sessions s using users u
          where s.id = ${id} and u.id = ${userId} and u.sign_in_generation is distinct from ${generation}::int
          returning s.id`
        if (stale.length === 0) return
        const { APIError } = await import("better-auth/api")
        throw new APIError("UNAUTHORIZED", { message: "Sign in again." })
      },
    },
  },
}
