import { sql } from "#db/client.ts"
import { only } from "#db/rows.ts"
import { listFacts, readPolicies } from "#domain/screening"
import { toTimestamp } from "#server/lib/time.ts"

/** The monitoring settings of a workspace. */
export async function readMonitoring(workspaceId: string) {
  const policies = await readPolicies(sql, workspaceId)
  const lists = listFacts()
  const walks = await sql<{ list: string; digest: string; finished_at: Date | null }[]>`
    select list, digest, finished_at from screenings where workspace_id = ${workspaceId}`
  const counts = await sql<{ listed: number; cleared: number }[]>`
    select count(distinct wallet)::int as listed, count(distinct wallet) filter (where cleared_at is not null)::int as cleared
    from screening_hits
    where workspace_id = ${workspaceId} and gone_at is null and list = any(${lists.map(({ name }) => name)})`
  const removed = await sql<{ name: string; waiting: number; frozen: number }[]>`
    select h.list as name, (count(*) filter (where r.state <> 'closed'))::int as waiting,
      (count(*) filter (where h.frozen_at is not null))::int as frozen
    from screening_hits h left join reviews r on r.workspace_id = h.workspace_id and r.id = h.review_id
    where h.workspace_id = ${workspaceId} and h.gone_at is null and h.cleared_at is null
      and h.list <> all(${lists.map(({ name }) => name)})
    group by h.list having bool_or(r.state <> 'closed' or h.frozen_at is not null) order by h.list`
  return {
    policies,
    // Lists that are no longer in the settings, but still have waiting reviews or frozen wallets.
    removed,
    lists: lists.map(({ loaded_at, ...list }) => {
      const walk = walks.find((one) => one.list === list.name && one.digest === list.digest)
      return {
        ...list,
        loaded_at: toTimestamp(loaded_at),
        // When the list was compared with all wallets of the workspace. Null until that is done.
        compared_at: walk?.finished_at ? toTimestamp(walk.finished_at) : null,
      }
    }),
    ...only(counts),
  }
}
