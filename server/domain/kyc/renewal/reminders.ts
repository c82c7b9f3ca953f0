import { sql } from "#db/client.ts"
import { only } from "#db/rows.ts"
import { recordChange } from "#domain/audit-log"
import type { Caller } from "#domain/requests"
import { findSession } from "#server/domain/kyc/hosted-page/view.ts"
import { clock } from "#server/lib/time.ts"
import type { Language } from "#shared/languages.ts"
import { reminderFor } from "./email.ts"
import { forgetAddresses } from "./notices.ts"
import { hasMail, reminderState } from "./reminder-state.ts"

export async function readReminderSettings(workspaceId: string) {
  const rows = await sql<{ on: boolean }[]>`
    select reminders as on from workspaces where id = ${workspaceId}`
  return { on: only(rows).on, mail: hasMail() }
}

/** Turns reminders of a workspace on or off. Turning them off deletes the addresses that investors gave. */
export async function setReminders(author: Caller, on: boolean) {
  const { workspaceId } = author.principal
  await sql.begin(async (sql) => {
    const changed = await sql`
      update workspaces set reminders = ${on} where id = ${workspaceId} and reminders <> ${on} returning id`
    if (changed.length === 0) return
    const action = on ? "reminders.turned_on" : "reminders.turned_off"
    await recordChange(sql, workspaceId, { author, action, subject: workspaceId })
  })
  if (!on) await forgetAddresses()
  return readReminderSettings(workspaceId)
}

/** Stores where to remind the investor of a verified session, unless no reminder would be sent. */
export async function remindAt(sessionId: string, email: string, language: Language): Promise<void> {
  const row = await findSession(sessionId)
  const now = clock.now()
  if (row === null || row.status !== "verified" || reminderState(row, now) === null) return
  const reminder = reminderFor(row.wallet, email, language)
  await sql`
    update attestations a set reminder_email = ${reminder.email}, reminder_language = ${language}
    from workspaces w
    where a.workspace_id = ${row.workspace_id} and a.id = ${row.id} and a.status = 'verified' and a.expires_at > ${now}
      and w.id = a.workspace_id and w.reminders`
}
