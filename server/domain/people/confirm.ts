import { sql } from "#db/client.ts"
import { deployment } from "#domain/deployment"
import type { SignedIn } from "#domain/requests"
import { fail } from "#shared/errors.ts"
import { createMailedLink, findUserLink, useUserLink } from "./links.ts"
import { requireMailer, sendOrUndo, takeMail } from "./mail.ts"

/** Mails the user a link to confirm their address. Errors: rate_limited, mail_failed, validation_failed. */
export async function mailConfirmation({ id, email }: SignedIn): Promise<{ sent_to: string }> {
  const send = requireMailer()
  const token = await sql.begin(async (sql) => {
    const token = await createMailedLink(sql, id, "confirm")
    if (token === null)
      return fail("rate_limited", "We just sent a link. Wait five minutes before you request another one.", {
        retryAfterSeconds: 300,
      })
    await takeMail(sql, { to: email, accountId: null, reason: "requested" })
    return token
  })
  const link = `${deployment.origin}/confirm?token=${token}`
  const mail = {
    to: email,
    subject: "Confirm your email address for Vouch",
    text: `Sign in as ${email}, then open this link within one day to confirm your address:\n\n${link}\n\nNo Vouch account? Ignore this email. Someone entered your address by mistake and cannot confirm it.`,
  }
  const undo = () => sql`delete from user_links where user_id = ${id} and kind = 'confirm'`
  await sendOrUndo(send, mail, { undo, next: "Try again later." })
  return { sent_to: email }
}

/**
 * Confirms an address. Requires both the mailed link and a sign-in with the address, so that the mailbox's owner cannot
 * confirm a stranger's registration by accident. Errors: invalid_link.
 */
export async function confirmEmail({ id, email }: SignedIn, token: string): Promise<{ email: string }> {
  await sql.begin(async (sql) => {
    if ((await findUserLink(sql, "confirm", token)) !== id)
      fail("invalid_link", `This link is not for ${email}. Sign in with the address that received it.`)
    await useUserLink(sql, "confirm", token)
    await sql`update users set email_verified = true where id = ${id}`
  })
  return { email }
}
