import { type Sql, sql } from "#db/client.ts"

const BATCH = 5000
/** Invitations are kept this long after they end, to explain why a link does not work. */
const INVITATIONS_KEPT = "30 days"
/** Longer than any rate limit's window. */
const RATES_KEPT = "1 hour"

/**
 * Deletes ended rows, which would otherwise stay indefinitely, by the database's clock. Strangers can create most of
 * them.
 */
const ended: readonly ((sql: Sql) => PromiseLike<{ count: number }>)[] = [
  (sql) => sql`
    delete from user_sessions where ctid in (
      select ctid from user_sessions where expires_at <= now() limit ${BATCH})`,
  (sql) => sql`
    delete from user_verifications where ctid in (
      select ctid from user_verifications where expires_at <= now() limit ${BATCH})`,
  (sql) => sql`
    delete from user_links where ctid in (select ctid from user_links where expires_at <= now() limit ${BATCH})`,
  (sql) => sql`
    delete from auth_rate_limits where ctid in (
      select ctid from auth_rate_limits
      where last_request <= extract(epoch from now() - ${RATES_KEPT}::interval) * 1000 limit ${BATCH})`,
  (sql) => sql`
    delete from mail_counts where ctid in (
      select ctid from mail_counts where day <= now() - interval '1 day' limit ${BATCH})`,
  (sql) => sql`
    delete from invitations where ctid in (
      select ctid from invitations
      where least(used_at, expires_at) <= now() - ${INVITATIONS_KEPT}::interval limit ${BATCH})`,
]

/** Deletes ended sessions, challenges, links, invitations and counts of requests and mails, a batch at a time. */
export async function cleanPeople(): Promise<void> {
  for (const remove of ended) while ((await remove(sql)).count === BATCH);
}
