import { deployment } from "#domain/deployment"
import { addDays } from "#server/lib/time.ts"

/** Whether this server can send mail. */
export const hasMail = (): boolean => deployment.settings.VOUCH_SMTP_URL !== undefined

type Facts = {
  reminds: boolean
  reminder_days: number[]
  reminder_email: Buffer | null
  expires_at: Date | null
}

/** The state of reminders on the hosted page: offered, set, or null if none would be sent. */
export function reminderState(
  { reminds, reminder_days, reminder_email, expires_at }: Facts,
  now: Date,
): "offered" | "set" | null {
  if (!reminds || !hasMail() || expires_at === null) return null
  if (!reminder_days.some((days) => addDays(expires_at, -days) > now)) return null
  return reminder_email === null ? "offered" : "set"
}
