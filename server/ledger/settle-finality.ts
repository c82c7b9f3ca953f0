import { background as sql } from "#db/client.ts"
import { publishActivity } from "#db/pubsub.ts"
import { clock } from "#server/lib/time.ts"
import { voidPlans } from "./lease.ts"

/** A transaction that is on chain for good, and the slot that has it. */
export type Final = { signature: string; slot: number }

/** Notes that transactions can never vanish any more. */
export async function settleFinalized(final: readonly Final[]): Promise<void> {
  if (final.length === 0) return
  const rows = await sql<{ workspace_id: string }[]>`
    update transactions t set finalized_at = ${clock.now()}, slot = f.slot
    from unnest(${final.map((one) => one.signature)}::text[], ${final.map((one) => one.slot)}::bigint[])
      as f(signature, slot)
    where t.signature = f.signature and t.status = 'confirmed' and t.finalized_at is null
    returning t.workspace_id`
  for (const workspaceId of new Set(rows.map((row) => row.workspace_id))) publishActivity(workspaceId)
}

/**
 * A confirmed transaction that is gone from the chain and can never land any more: its operations are queued to be done
 * again. What they did to the domain stands, because whoever asked for them was told so. Returns their ids; none where
 * another worker was first. The caller has made sure of "never" (`finality.ts`).
 */
export async function settleVanished(signature: string): Promise<string[]> {
  const ended = await sql.begin(async (sql) => {
    const [row] = await sql<{ workspace_id: string }[]>`
      update transactions set status = 'expired', slot = null, settled_at = ${clock.now()}
      where signature = ${signature} and status = 'confirmed' and finalized_at is null returning workspace_id`
    if (!row) return null
    const { workspace_id } = row
    // What is being signed was planned on a chain that is no more.
    await voidPlans(sql, workspace_id)
    const operations = await sql<{ id: string }[]>`
      update operations set status = 'queued', signature = null, finished_at = null, redo = true, not_before = null
      where workspace_id = ${workspace_id} and signature = ${signature} and status = 'confirmed' returning id`
    return { workspace_id, ids: operations.map(({ id }) => id) }
  })
  if (!ended) return []
  publishActivity(ended.workspace_id)
  return ended.ids
}
