import { deleteRows } from "#db/batches.ts"
import { background as sql } from "#db/client.ts"
import { deployment } from "#domain/deployment"
import { MAIL_BATCH, MOST_ATTEMPTS, nextAttempt, sendDue, waitForMail } from "#domain/people"
import { addDays, addSeconds, clock } from "#server/lib/time.ts"
import type { Mode } from "#shared/mode.ts"
import { allNotifications, notifications } from "#shared/notifications.ts"
import { keptDays } from "#shared/retention.ts"
import { type Notification, notificationMail } from "./mails.ts"
import { stageNotifications } from "./stage.ts"

type Due = Notification & {
  workspace_id: string
  user_id: string
  subject: string
  email: string
  company: string
  mode: Mode
  time_zone: string | null
}

/** Which roles get which mails, as two columns: kinds and roles. */
const concerned = allNotifications.flatMap((kind) => notifications[kind].roles.map((role) => ({ kind, role })))

/** Mails members the notifications that are staged for them. */
export const sendNotifications = (): Promise<void> =>
  sendDue<Due>({
    stage: stageNotifications,
    claim,
    mayMail,
    mailOf: (due) => ({
      to: due.email,
      ...notificationMail(due, {
        company: due.company,
        mode: due.mode,
        timeZone: due.time_zone,
        url: `${deployment.origin}/${due.workspace_id}`,
      }),
    }),
    sent: ({ workspace_id, user_id, kind, subject }) => sql`
      update notifications set sent_at = ${clock.now()}
      where workspace_id = ${workspace_id} and user_id = ${user_id} and kind = ${kind} and subject = ${subject}`,
    about: ({ workspace_id, user_id, kind }) => ({
      workspace: workspace_id,
      user: user_id,
      notification: kind,
    }),
  })

/** An endpoint that keeps being enabled and disabled causes a mail each time. Mails beyond the limit wait for a day. */
async function mayMail({ workspace_id, user_id, kind, subject, email }: Due): Promise<boolean> {
  const about = kind === "approval_waiting" ? "approvals" : "notices"
  const reason = `${about} of ${workspace_id}` as const
  const seconds = await waitForMail(sql, { to: email, accountId: null, reason })
  if (seconds === null) return true
  await sql`
    update notifications set attempts = attempts - 1, next_attempt_at = ${addSeconds(clock.now(), seconds)}
    where workspace_id = ${workspace_id} and user_id = ${user_id} and kind = ${kind} and subject = ${subject}
      and sent_at is null`
  return false
}

/** Only members who may still be notified and still want to be, and only about requests that still wait. */
async function claim(): Promise<Due[]> {
  const now = clock.now()
  const rows = await sql<Due[]>`
    update notifications n set attempts = n.attempts + 1, next_attempt_at = ${nextAttempt(sql, now, "n.attempts")}
    from users u, workspaces w, accounts c
    where (n.workspace_id, n.user_id, n.kind, n.subject) in (
        select d.workspace_id, d.user_id, d.kind, d.subject from notifications d
        join workspaces v on v.id = d.workspace_id
        join members m on m.account_id = v.account_id and m.user_id = d.user_id
        join users p on p.id = d.user_id and p.email_verified
        where d.sent_at is null and d.next_attempt_at <= ${now} and d.attempts < ${MOST_ATTEMPTS}
          and not d.kind = any(m.muted_notifications)
          and not exists (select from approvals q where d.kind = 'approval_waiting' and q.workspace_id = d.workspace_id
            and q.id = d.subject and (q.state <> 'pending' or q.expires_at <= ${now}))
          and exists (select from unnest(${concerned.map(({ kind }) => kind)}::text[],
            ${concerned.map(({ role }) => role)}::text[]) as t(kind, role) where t.kind = d.kind and t.role = m.role)
        order by d.next_attempt_at limit ${MAIL_BATCH} for update of d skip locked)
      and u.id = n.user_id and w.id = n.workspace_id and c.id = w.account_id
    returning n.workspace_id, n.user_id, n.kind, n.subject, n.data, u.email, u.time_zone, c.name as company, w.mode`
  return [...rows]
}

/** Drops old notifications. */
export async function dropOldNotifications(now: Date): Promise<void> {
  const old = addDays(now, -keptDays.notifications)
  await deleteRows("notifications", () => sql`select ctid from notifications where created_at <= ${old}`)
}
