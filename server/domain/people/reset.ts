import { type Queryable, sql } from "#db/client.ts"
import { deployment } from "#domain/deployment"
import { logger } from "#server/lib/log.ts"
import { createMailedLink, createUserLink, findUserLink, newToken, useUserLink } from "./links.ts"
import { mailer, takeMail } from "./mail.ts"
import { hashPassword } from "./password.ts"

const resetLink = (token: string): string => `${deployment.origin}/reset?token=${token}`

/** A new one-time link to choose a password, valid for one hour. It ends earlier ones. Null for an unknown address. */
export async function createResetLink(email: string): Promise<string | null> {
  const [user] = await sql<{ id: string }[]>`select id from users where email = ${email.toLowerCase()}`
  return user ? resetLink(await createUserLink(sql, user.id, "reset")) : null
}

/**
 * Mails a reset link to a confirmed address. An unconfirmed address gets none, because its mailbox may belong to
 * another person. Callers do not wait, because the duration would reveal whether the user exists.
 */
export function requestReset(email: string): void {
  mailReset(email).catch((error) => logger.warn({ err: error }, "could not mail a password reset"))
}

async function mailReset(email: string): Promise<void> {
  const { send } = mailer()
  if (send === null) return
  const [user] = await sql<{ id: string }[]>`select id from users where email = ${email} and email_verified`
  if (!user) return
  const token = await sql.begin(async (sql) => {
    // In one transaction, so that a mail beyond the limit does not end the last mailed link.
    const token = await createMailedLink(sql, user.id, "reset")
    if (token !== null) await takeMail(sql, { to: email, accountId: null, reason: "requested" })
    return token
  })
  if (token === null) return
  await send({
    to: email,
    subject: "Reset your Vouch password",
    text: `Open this link within one hour to choose a new password:\n\n${resetLink(token)}\n\nThis also removes your passkeys and your second factor. Did not request this? Ignore this email. Nothing has changed.`,
  })
}

/** What a person must set up again after a reset. */
export type Reset = { passkeys_removed: number; second_factor_removed: boolean }

/**
 * Sets a new password with a link, and ends every other way to sign in as that person: passkeys, the second factor, all
 * sessions and open challenges. One of them may be the reason for the reset. Errors: invalid_link.
 */
export async function resetPassword(token: string, password: string): Promise<Reset> {
  await findUserLink(sql, "reset", token)
  const hash = await hashPassword(password)
  return sql.begin(async (sql) => {
    const userId = await useUserLink(sql, "reset", token)
    // A concurrent sign-in waits here with its new session, and sees the reset.
    await sql`select from users where id = ${userId} for update`
    const reset = await endAllSignIns(sql, userId)
    await sql`
      insert into user_credentials (id, account_id, provider_id, user_id, password, created_at, updated_at)
      values (${newToken()}, ${userId}, 'credential', ${userId}, ${hash}, now(), now())`
    return reset
  })
}

/** Ends all previous ways to sign in. */
async function endAllSignIns(sql: Queryable, userId: string): Promise<Reset> {
  await sql`delete from user_credentials where user_id = ${userId}`
  const passkeys = await sql`delete from user_passkeys where user_id = ${userId}`
  const factors = await sql`delete from user_two_factors where user_id = ${userId} returning verified`
  await sql`
    update users set two_factor_enabled = false, sign_in_generation = sign_in_generation + 1, updated_at = now()
    where id = ${userId}`
  await sql`delete from user_sessions where user_id = ${userId}`
  await sql`delete from user_verifications where value = ${userId}`
  await sql`delete from user_links where user_id = ${userId}`
  return {
    passkeys_removed: passkeys.count,
    second_factor_removed: factors.some(({ verified }) => verified),
  }
}
