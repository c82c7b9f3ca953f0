import { sql } from "#db/client.ts"
import { sequenceEvents } from "#server/domain/events/sequence.ts"
import { waitFor } from "#test/fixtures/app.ts"

/**
 * Tables that change without a request of the test: workers' heartbeats, the request log, transactions' costs, chains'
 * newest slots, new workspaces' daily audits, how far holders are followed and links of the audit log. On a busy machine
 * some change between any two snapshots.
 */
const RESTLESS = [
  "workers",
  "api_requests",
  "request_log_usage",
  "key_usage",
  "chain_costs",
  "paid_accounts",
  "chains",
  "audits",
  "holder_periods",
  "audit_chains",
  "audit_links",
  "audit_anchors",
]
/** Columns that a worker fills some time after a row has ended, and a key's last use, written once a minute. */
const LATE = ["finalized_at", "fee", "rent", "counted_at", "last_used_at", "requests_cleared"]
/** A posting is dated once its transaction is final. */
const LATE_OF_POSTINGS = [...LATE, "landed_at", "slot"]

/** A hash of every row of every table. Two equal hashes prove that nothing was written in between. */
export async function snapshot(): Promise<Record<string, string>> {
  await waitFor(async () => {
    // Events are numbered a moment after the change. While the server numbers some, this call returns at once.
    await sequenceEvents()
    const [{ staged } = { staged: true }] = await sql<{ staged: boolean }[]>`
      select exists (select from staged_events) as staged`
    return !staged
  }, "all events to have their numbers")
  const tables = await sql<{ name: string }[]>`
    select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and n.nspname = 'public' order by 1`
  const hashes = tables
    .filter(({ name }) => !RESTLESS.includes(name))
    .map(
      ({ name }) => `
        select '${name}' as name, count(*) || ' rows, ' || coalesce(md5(string_agg(row, e'\\n' order by row)), '-') as hash
        from (select (to_jsonb(t) - '{${name === "postings" ? LATE_OF_POSTINGS : LATE}}'::text[])::text as row from "${name}" t) rows`,
    )
  const rows = await sql.unsafe<{ name: string; hash: string }[]>(hashes.join(" union all "))
  return Object.fromEntries(rows.map(({ name, hash }) => [name, hash]))
}
