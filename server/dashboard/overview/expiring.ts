import { sql } from "#db/client.ts"
import { only } from "#db/rows.ts"
import { type ReminderSettings, readReminderSettings } from "#domain/kyc"
import { addDays, clock } from "#server/lib/time.ts"

/** Counting stops here. Beyond it, the answer is only "more". */
const COUNTED = 1000

export type Expiring = {
  /** Verified attestations that expire within so many days. `more` if counting stopped. */
  days_7: { count: number; more: boolean }
  days_30: { count: number; more: boolean }
  reminders: ReminderSettings
}

/** What expires soon, and whether investors get reminders. */
export async function readExpiring(workspaceId: string): Promise<Expiring> {
  const now = clock.now()
  const within = (days: number) => sql`
    (select count(*)::int from (
      select from attestations
      where workspace_id = ${workspaceId} and status = 'verified' and expires_at > ${now}
        and expires_at < ${addDays(now, days)} limit ${COUNTED + 1}) soon)`
  const [rows, reminders] = await Promise.all([
    sql<{ week: number; month: number }[]>`select ${within(7)} as week, ${within(30)} as month`,
    readReminderSettings(workspaceId),
  ])
  const { week, month } = only(rows)
  const counted = (count: number) => ({ count: Math.min(count, COUNTED), more: count > COUNTED })
  return { days_7: counted(week), days_30: counted(month), reminders }
}
