import { deleteRows } from "#db/batches.ts"
import { background as sql } from "#db/client.ts"

/** Invitations are kept this long after they end, to explain why a link does not work. */
const INVITATIONS_KEPT = "30 days"
/** Longer than any rate limit's window. */
const RATES_KEPT = "1 hour"

/** Which rows have ended, by the database's clock. They would stay indefinitely, and strangers can create most of them. */
const ended = {
  user_sessions: () => sql`expires_at <= now()`,
  user_verifications: () => sql`expires_at <= now()`,
  user_links: () => sql`expires_at <= now()`,
  auth_rate_limits: () => sql`last_request <= extract(epoch from now() - ${RATES_KEPT}::interval) * 1000`,
  mail_counts: () => sql`day <= now() - interval '1 day'`,
  invitations: () => sql`least(used_at, expires_at) <= now() - ${INVITATIONS_KEPT}::interval`,
}

/** Deletes ended sessions, challenges, links, invitations and counts of requests and mails, a batch at a time. */
export async function cleanPeople(): Promise<void> {
  for (const [table, isEnded] of Object.entries(ended))
    await deleteRows(table as keyof typeof ended, () => sql`select ctid from ${sql(table)} where ${isEnded()}`)
}
