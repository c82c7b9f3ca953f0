import { type Queryable, sql } from "#db/client.ts"
import { addSeconds, clock } from "#server/lib/time.ts"
import { approverRoles, FRESH_MINUTES } from "#shared/approvals.ts"
import { fail } from "#shared/errors.ts"

/** Whether user `u` has a second factor: an authenticator app, or a passkey, which is two factors by itself. */
export const hasSecondFactor = (on: Queryable = sql) => on`
  (u.two_factor_enabled or exists (select from user_passkeys p where p.user_id = u.id))`

/** Whether account `a` requires a second factor, and member `m` has none now or did not prove it in this session. */
export const lacksSecondFactor = (on: Queryable, sessionId: string) => on`
  (a.second_factor_required and not exists (
    select from user_sessions s join users u on u.id = s.user_id
    where s.id = ${sessionId} and s.user_id = m.user_id and s.two_factor and ${hasSecondFactor(on)}))`

/** better-auth's endpoints that change how a user signs in. */
const CHANGES = new Set([
  "/two-factor/enable",
  "/two-factor/disable",
  "/two-factor/verify-totp",
  "/two-factor/generate-backup-codes",
  "/passkey/generate-register-options",
  "/passkey/verify-registration",
  "/passkey/delete-passkey",
  "/passkey/update-passkey",
])

export const changesFactors = (path: string): boolean => CHANGES.has(path)

/**
 * Refuses to change a user's factors with only a password if they have factors, and one of their accounts requires them
 * or lets them approve requests. Otherwise the password would be a way around the factors. Errors:
 * second_factor_required.
 */
export async function guardFactors(sessionId: string): Promise<void> {
  const [guarded] = await sql`
    select from user_sessions s join users u on u.id = s.user_id
    where s.id = ${sessionId} and not s.two_factor and ${hasSecondFactor()} and exists (
      select from members m join accounts a on a.id = m.account_id
      where m.user_id = u.id and (a.second_factor_required or m.role = any(${approverRoles as unknown as string[]})))`
  if (guarded) fail("second_factor_required", "Sign in again with your passkey or code, then change how you sign in.")
}

/** Records that a session has proven two factors, by default now. */
export async function recordTwoFactors(sessionId: string, at: Date | null = clock.now()): Promise<void> {
  await sql`update user_sessions set two_factor = true, two_factor_at = ${at} where id = ${sessionId}`
}

/** Errors: second_factor_required, if the session has not proven a second factor in the last few minutes. */
export async function requireFreshFactor(on: Queryable, { userId, sessionId }: { userId: string; sessionId: string }) {
  const [fresh] = await on`
    select from user_sessions s join users u on u.id = s.user_id
    where s.id = ${sessionId} and u.id = ${userId} and s.two_factor
      and s.two_factor_at > ${addSeconds(clock.now(), -60 * FRESH_MINUTES)} and ${hasSecondFactor(on)}`
  if (!fresh)
    fail(
      "second_factor_required",
      `Prove your second factor first. One that you used in the last ${FRESH_MINUTES} minutes counts.`,
    )
}

/** Whose two factors a session has proven, and when. Null if it has not; an old session does not know when. */
export async function provenTwoFactors(sessionId: string): Promise<{ userId: string; at: Date | null } | null> {
  const [session] = await sql<{ user_id: string; two_factor_at: Date | null }[]>`
    select user_id, two_factor_at from user_sessions where id = ${sessionId} and two_factor`
  return session ? { userId: session.user_id, at: session.two_factor_at } : null
}
