import { sql } from "#db/client.ts"

/**
 * From now on no worker moves the operations of any workspace along, until turns are given again: somebody else has all
 * leases. What is being signed at this moment is not saved.
 */
export const withholdTurns = () => sql`
  insert into ledger_leases (workspace_id, token, until) select id, 'test', 'infinity' from workspaces order by id
  on conflict (workspace_id) do update set token = 'test', until = 'infinity'`

export const giveTurns = () => sql`update ledger_leases set until = '-infinity' where token = 'test'`

/** What is asked for in `work` stays queued until it ends. */
export async function withoutTurns<T>(work: () => Promise<T>): Promise<T> {
  await withholdTurns()
  try {
    return await work()
  } finally {
    await giveTurns()
  }
}
