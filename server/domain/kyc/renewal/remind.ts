import { sql } from "#db/client.ts"
import { findSession } from "#server/domain/kyc/hosted-page/view.ts"
import { clock } from "#server/lib/time.ts"
import type { Language } from "#shared/languages.ts"
import { reminderFor } from "./email.ts"
import { reminderState } from "./reminder-state.ts"

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
