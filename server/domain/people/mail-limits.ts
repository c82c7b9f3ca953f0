import { hash } from "node:crypto"
import type { Queryable } from "#db/client.ts"
import { deployment } from "#server/domain/deployment.ts"
import { addDays, clock, secondsBetween, startOfDay } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"

/**
 * `requested` are mails that a person asks for from their own address, such as a password reset. They are counted apart:
 * otherwise five invitations from strangers would keep a person from a new password.
 */
export type MailReason = "sent by others" | "requested"

/**
 * Counts a mail against the limits of its address, and of the account that sends it, for this day (UTC). Errors:
 * rate_limited.
 */
export async function takeMail(
  sql: Queryable,
  { to, accountId, reason }: { to: string; accountId: string | null; reason: MailReason },
): Promise<void> {
  const { VOUCH_MAILS_PER_ACCOUNT: perAccount, VOUCH_MAILS_PER_ADDRESS: perAddress } = deployment.settings
  const tomorrow = "Retry after midnight (UTC)."
  if (accountId !== null && !(await take(sql, accountId, perAccount)))
    refuse(`This account has sent ${perAccount} emails today, the most that it may. ${tomorrow}`)
  if (!(await take(sql, `${reason} ${hash("sha256", mailboxOf(to))}`, perAddress)))
    refuse(`email: ${to} has had ${perAddress} emails today, the most that one address gets. ${tomorrow}`)
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
  const now = clock.now()
  const midnight = addDays(startOfDay(now), 1)
  return fail("rate_limited", detail, { retryAfterSeconds: Math.ceil(secondsBetween(now, midnight)) })
}

/** The mailbox that an address ends in, as the large providers read it: bob+anything@ is bob@. */
function mailboxOf(address: string): string {
  const at = address.lastIndexOf("@")
  const [local = ""] = address.slice(0, at).toLowerCase().split("+")
  const domain = address.slice(at + 1).toLowerCase()
  return domain === "gmail.com" || domain === "googlemail.com"
    ? `${local.replaceAll(".", "")}@gmail.com`
    : `${local}@${domain}`
}
