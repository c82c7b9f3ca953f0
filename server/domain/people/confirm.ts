import { sql } from "#db/client.ts"
import type { SignedIn } from "#server/domain/context.ts"
import { deployment } from "#server/domain/deployment.ts"
import { fail } from "#shared/errors.ts"
import { createMailedLink, findUserLink, useUserLink } from "./links.ts"
import { failMail, mailer } from "./mail.ts"

/** Mails somebody a link by which they confirm their address. Errors: rate_limited, mail_failed, validation_failed. */
export async function mailConfirmation({ id, email }: SignedIn): Promise<{ sent_to: string }> {
  const { send } = mailer(deployment.settings)
  if (send === null) return fail("validation_failed", "email: this server sends no mail.")
  const token = await createMailedLink(sql, id, "confirm")
  if (token === null)
    return fail(
      "rate_limited",
      "A link was mailed a moment ago. Wait five minutes, then ask for another one.",
    )
  const link = `${deployment.origin}/confirm?token=${token}`
  try {
    await send({
      to: email,
      subject: "Confirm your address for Vouch",
      text: `Open this link within a day, signed in as ${email}, to confirm that the address is yours:\n\n${link}\n\nIf you have no account with Vouch, ignore this mail: somebody else entered your address, and cannot confirm it.`,
    })
  } catch (cause) {
    await sql`delete from user_links where user_id = ${id} and kind = 'confirm'`
    failMail(email, cause, "Try again later.")
  }
  return { sent_to: email }
}

/**
 * Confirms an address, by whoever both reads its mailbox and is signed in with it: the mailbox alone must not confirm what
 * a stranger registered. Errors: invalid_link.
 */
export async function confirmEmail({ id, email }: SignedIn, token: string): Promise<{ email: string }> {
  await sql.begin(async (sql) => {
    if ((await findUserLink(sql, "confirm", token)) !== id)
      fail("invalid_link", `This link is not for ${email}. Sign in as the person whom it is for.`)
    await useUserLink(sql, "confirm", token)
    await sql`update users set email_verified = true where id = ${id}`
  })
  return { email }
}
