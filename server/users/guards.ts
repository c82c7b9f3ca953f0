import { AsyncLocalStorage } from "node:async_hooks"
import { createHmac } from "node:crypto"
import type { BetterAuthOptions, BetterAuthPlugin, GenericEndpointContext } from "better-auth"
import { sql } from "#db/client.ts"
import { RateLimiter } from "#server/rest/rate-limit.ts"
import { clock } from "#server/time.ts"

const TOTP_SECONDS = 30
/** How many steps a device's clock may be off, either way; better-auth takes as many. */
const TOTP_WINDOW = 1

/** Passwords that may be tried for one address in a row, and how long until one more. */
const MAX_GUESSES = 20
const GUESS_SECONDS = 30
const MAX_EMAIL = 254

/** The request that may end in a session: how often the person had been reset when it began; null for nobody known. */
const attempt = new AsyncLocalStorage<{ generation: number | null }>()

/** Runs a request of better-auth's so that `refuseStaleSessions` knows when it began. */
export const asAttempt = <T>(run: () => Promise<T>): Promise<T> => attempt.run({ generation: null }, run)

/** What better-auth leaves open, closed by hooks around its endpoints. */
export async function guards(isLimited: boolean): Promise<BetterAuthPlugin> {
  const { APIError, createAuthMiddleware, getSessionFromCtx } = await import("better-auth/api")
  const { symmetricDecrypt } = await import("better-auth/crypto")

  const attempts = isLimited ? new RateLimiter(1 / GUESS_SECONDS, MAX_GUESSES) : null

  /** Whoever a request is about to sign in, before anything of theirs is believed. */
  async function personOf(ctx: GenericEndpointContext): Promise<string | null> {
    if (ctx.path === "/sign-in/email") {
      const email = String(ctx.body?.email ?? "").toLowerCase()
      return (await sql<{ id: string }[]>`select id from users where email = ${email}`)[0]?.id ?? null
    }
    if (ctx.path === "/passkey/verify-authentication") {
      const credential = String(ctx.body?.response?.id ?? "")
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

  /** Uses a code up if it is one of now that comes after the last that was taken; of two that try, one succeeds. */
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
          // From however many addresses somebody guesses, and whether or not there is such a person.
          matcher: ({ path }) => path === "/sign-in/email",
          handler: createAuthMiddleware(async (ctx) => {
            const email = String(ctx.body?.email ?? "").toLowerCase()
            const standing = attempts?.take(email.slice(0, MAX_EMAIL))
            if (!standing || standing.allowed) return
            const message = `Too many attempts for this address. Retry in ${standing.resetSeconds} s, or use a passkey.`
            throw new APIError("TOO_MANY_REQUESTS", { message })
          }),
        },
        {
          matcher: ({ path }) => path !== "/get-session" && path !== "/sign-out",
          handler: createAuthMiddleware(async (ctx) => {
            const store = attempt.getStore()
            if (store === undefined || ctx.request?.method !== "POST") return
            const person = await personOf(ctx)
            const [user] = await sql<{ sign_in_generation: number }[]>`
              select sign_in_generation from users where id = ${person}`
            store.generation = user?.sign_in_generation ?? null
          }),
        },
        {
          // A code that was taken once is none: better-auth counts it as a wrong one. Nor is any browser trusted to
          // come without a code for a month, which no page of ours offers.
          matcher: ({ path }) => path?.startsWith("/two-factor/verify-") ?? false,
          handler: createAuthMiddleware(async (ctx) => {
            const body = { ...ctx.body, trustDevice: false }
            if (ctx.path === "/two-factor/verify-totp") {
              const person = await personOf(ctx)
              const fresh = person !== null && (await takeCode(ctx, person, String(ctx.body?.code ?? "")))
              if (!fresh) body.code = ""
            }
            return { context: { body } }
          }),
        },
      ],
      after: [
        {
          // The plugin for passkeys asks for less, and its option for that is of registrations only.
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
 * A session that a sign-in of before a reset creates after it does not live: the reset locks the person while it ends all
 * sessions, so that a later one sees its generation.
 */
export const refuseStaleSessions: NonNullable<BetterAuthOptions["databaseHooks"]> = {
  session: {
    create: {
      after: async ({ id, userId }) => {
        const generation = attempt.getStore()?.generation ?? null
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
