import type { Fragment } from "postgres"
import { background, type Queryable, sql } from "#db/client.ts"
import { clock } from "#server/lib/time.ts"

/** Far longer than a statement that writes the request log may take. */
const SETTLED_MS = 60_000
/** The most erasures in one pass. They share one read of their workspace's log. */
const BATCH = 100

/** What names the person of an erasure in the request log: wallets and ids. */
export const namesOfErased = (): Fragment => sql`
  e.wallets || e.investor_id || array(
    select a.id from attestations a where a.workspace_id = e.workspace_id and a.investor_id = e.investor_id)`

/** When this process first saw each erasure, in milliseconds since 1970. */
const seen = new Map<string, number>()

/**
 * Deletes the requests of erased people a last time. A process writes its requests about once per second, and later if it
 * lost the database. It leaves out requests from before an erasure that its statement can see. A statement that began
 * before the erasure was committed cannot see it, but has ended a minute after this process could.
 */
export async function clearRequests(): Promise<void> {
  const now_ms = clock.now().getTime()
  const rows = await background<{ workspace_id: string; id: string }[]>`
    select workspace_id, id from erasures where not requests_cleared order by erased_at limit ${BATCH}`
  const ids = new Set(rows.map(({ id }) => id))
  for (const id of seen.keys()) if (!ids.has(id)) seen.delete(id)
  const settled = rows.filter(({ id }) => {
    const since_ms = seen.get(id) ?? now_ms
    seen.set(id, since_ms)
    return now_ms - since_ms >= SETTLED_MS
  })
  for (const [workspaceId, erasures] of Map.groupBy(settled, (row) => row.workspace_id))
    await background.begin((sql) =>
      clear(
        sql,
        workspaceId,
        erasures.map(({ id }) => id),
      ),
    )
}

/** No index has the names, so it reads the workspace's log. */
async function clear(sql: Queryable, workspaceId: string, ids: readonly string[]): Promise<void> {
  await sql`set local statement_timeout = 0`
  await sql`
    with erased as materialized (
      select coalesce(e.requests_until, e.erased_at) as until, ${namesOfErased()} as names from erasures e
      where e.workspace_id = ${workspaceId} and e.id = any(${[...ids]})
    )
    delete from api_requests r
    where r.workspace_id = ${workspaceId} and exists (
      select from erased e cross join unnest(e.names) as named
      where r.at <= e.until and strpos(concat_ws(' ', r.path, r.request_body, r.response_body), named) > 0)`
  await sql`
    update erasures set requests_cleared = true where workspace_id = ${workspaceId} and id = any(${[...ids]})`
}
