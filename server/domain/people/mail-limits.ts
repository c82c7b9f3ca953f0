import { hash } from "node:crypto"
import { domainToASCII } from "node:url"
import type { Queryable, Sql } from "#db/client.ts"
import { deployment } from "#domain/deployment"
import { clock, secondsLeftToday, startOfDay } from "#server/lib/time.ts"
import { Failure, fail } from "#shared/errors.ts"

/**
 * `requested` mails are those that a person requests for their own address, such as a password reset. They are counted
 * separately, because otherwise five invitations from strangers would block a password reset. Each workspace's notices
 * to its members are counted separately, too.
 */
type MailReason = "sent by others" | "requested" | `notices of ${string}`

type Counted = { to: string; accountId: string | null; reason: MailReason }

/** Counts a mail towards today's limits (UTC) of its address and of the sending account. Errors: rate_limited. */
export async function takeMail(sql: Queryable, { to, accountId, reason }: Counted): Promise<void> {
  const { VOUCH_MAILS_PER_ACCOUNT: perAccount, VOUCH_MAILS_PER_ADDRESS: perAddress } = deployment.settings
  const tomorrow = "Retry after midnight (UTC)."
  if (accountId !== null && !(await take(sql, accountId, perAccount)))
    refuse(`This account has sent ${perAccount} emails today, which is its daily limit. ${tomorrow}`)
  if (!(await take(sql, `${reason} ${hash("sha256", mailboxOf(to))}`, perAddress)))
    refuse(`email: ${to} has received ${perAddress} emails today, which is the daily limit of an address. ${tomorrow}`)
}

/**
 * Like `takeMail`, for a mail that can wait: returns in how many seconds it can be sent, or null if it can be sent now.
 */
export async function waitForMail(sql: Sql, counted: Counted): Promise<number | null> {
  try {
    await sql.begin((sql) => takeMail(sql, counted))
    return null
  } catch (error) {
    if (!(error instanceof Failure && error.retryAfterSeconds !== undefined)) throw error
    return error.retryAfterSeconds
  }
}

async function take(sql: Queryable, subject: string, most: number): Promise<boolean> {
  if (most === 0) return false
  const today = startOfDay(clock.now())
  const taken = await sql`
    insert into mail_counts as c (subject, day, count) values (${subject}, ${today}, 1)
    on conflict (subject) do update set day = excluded.day, count = case when c.day < excluded.day then 1 else c.count + 1 end
      where c.day < excluded.day or c.count < ${most}
    returning subject`
  return taken.length === 1
}

function refuse(detail: string): never {
  return fail("rate_limited", detail, { retryAfterSeconds: secondsLeftToday(clock.now()) })
}

/**
 * The mailbox of an address, as the large providers read it: bob+anything@ is bob@. Domains have several spellings,
 * such as with 。 for dots.
 */
export function mailboxOf(address: string): string {
  const at = address.lastIndexOf("@")
  const [local = ""] = address.slice(0, at).toLowerCase().split("+")
  const written = address.slice(at + 1).toLowerCase()
  const domain = (domainToASCII(written) || written).replace(/\.+$/, "")
  return domain === "gmail.com" || domain === "googlemail.com"
    ? `${local.replaceAll(".", "")}@gmail.com`
    : `${local}@${domain}`
}
