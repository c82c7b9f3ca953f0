import { background as sql } from "#db/client.ts"
import { MAIL_BATCH, MOST_ATTEMPTS, nextAttempt, sendDue, waitForMail } from "#domain/people"
import { addSeconds, clock } from "#server/lib/time.ts"
import type { Language } from "#shared/languages.ts"
import type { Mode } from "#shared/mode.ts"
import { openEmail } from "./email.ts"
import { renewalUrl } from "./link.ts"
import { renewalMail } from "./mail.ts"

export const sendReminders = (): Promise<void> =>
  sendDue<Due>({
    stage: recordDueReminders,
    claim,
    mayMail,
    mailOf: (due) => ({ to: openEmail(due), ...renewalMail({ ...due, url: renewalUrl(due.attestation_id) }) }),
    sent: ({ workspace_id, attestation_id, days }) => sql`
      update renewal_notices set sent_at = ${clock.now()}
      where workspace_id = ${workspace_id} and attestation_id = ${attestation_id} and days = ${days}`,
    about: ({ attestation_id }) => ({ attestation: attestation_id }),
  })

/**
 * Records the reminders to send. Of a schema's reminder days, only the latest past one counts, so a server that was
 * offline for a month sends one mail, not three. It skips days before the verification, verifications with an open
 * renewal, and wallets that now belong to another person, because the link could renew nothing.
 */
async function recordDueReminders(): Promise<void> {
  const now = clock.now()
  await sql`
    insert into renewal_notices (workspace_id, attestation_id, days, created_at, next_attempt_at)
    select a.workspace_id, a.id, min(d.days), ${now}, ${now}
    from attestations a
    join workspaces w on w.id = a.workspace_id and w.reminders
    join schemas s on s.workspace_id = a.workspace_id and s.id = a.schema_id
    cross join lateral unnest(s.reminder_days) as d(days)
    where a.reminder_email is not null and a.status = 'verified' and a.expires_at > ${now}
      and a.expires_at <= ${now}::timestamptz + d.days * interval '1 day'
      and a.expires_at - d.days * interval '1 day' > a.issued_at
      and a.investor_id = (select investor_id from wallet_owner(a.workspace_id, a.wallet))
      and not exists (select from attestations n
        where n.workspace_id = a.workspace_id and n.wallet = a.wallet and n.schema_id = a.schema_id
          and n.investor_id = a.investor_id and n.status = 'pending' and n.consented_at is not null and (n.open_until is null or n.open_until > ${now}))
    group by a.workspace_id, a.id
    on conflict do nothing`
}

/**
 * Checks the mail limits. Mails of a test workspace also count towards the account's limit, because members decide test
 * cases themselves. A reminder beyond a limit waits until the next day, without counting as an attempt.
 */
async function mayMail(due: Due): Promise<boolean> {
  const { workspace_id, attestation_id, days, mode, account_id } = due
  const accountId = mode === "test" ? account_id : null
  const seconds = await waitForMail(sql, { to: openEmail(due), accountId, reason: "sent by others" })
  if (seconds === null) return true
  await sql`
    update renewal_notices set attempts = attempts - 1, next_attempt_at = ${addSeconds(clock.now(), seconds)}
    where workspace_id = ${workspace_id} and attestation_id = ${attestation_id} and days = ${days} and sent_at is null`
  return false
}

type Due = {
  account_id: string
  workspace_id: string
  attestation_id: string
  days: number
  attempts: number
  wallet: string
  email: Buffer
  language: Language | null
  expires_at: Date
  company: string
  schema_id: string
  schema_name: string
  mode: Mode
}

/** Claims the reminders to send now, and schedules the next try first, so that a crash only delays it. */
async function claim(): Promise<Due[]> {
  const now = clock.now()
  return sql<Due[]>`
    update renewal_notices r set attempts = r.attempts + 1, next_attempt_at = ${nextAttempt(sql, now, "r.attempts")}
    from attestations a, workspaces w, accounts c, schemas s
    where (r.workspace_id, r.attestation_id, r.days) in (
        select d.workspace_id, d.attestation_id, d.days from renewal_notices d
        join attestations b on b.workspace_id = d.workspace_id and b.id = d.attestation_id
        join workspaces v on v.id = d.workspace_id
        where d.sent_at is null and d.next_attempt_at <= ${now} and d.attempts < ${MOST_ATTEMPTS}
          and v.reminders and b.status = 'verified' and b.expires_at > ${now} and b.reminder_email is not null
        order by d.next_attempt_at limit ${MAIL_BATCH} for update of d skip locked)
      and a.workspace_id = r.workspace_id and a.id = r.attestation_id and w.id = r.workspace_id
      and c.id = w.account_id and s.workspace_id = r.workspace_id and s.id = a.schema_id
    returning r.workspace_id, r.attestation_id, r.days, r.attempts, a.wallet, a.reminder_email as email,
      coalesce(a.reminder_language, a.language) as language, a.expires_at, c.id as account_id, c.name as company, s.id as schema_id, s.name as schema_name, w.mode`
}

/** Deletes addresses that no longer get mail: the verification has ended, or the workspace does not remind. */
export const forgetAddresses = () => sql`
  update attestations a set reminder_email = null, reminder_language = null
  from workspaces w
  where w.id = a.workspace_id and a.reminder_email is not null
    and (not w.reminders or a.status in ('rejected', 'expired'))`
