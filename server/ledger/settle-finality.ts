import { background as sql } from "#db/client.ts"
import { publishActivity } from "#db/pubsub.ts"
import { clock } from "#server/lib/time.ts"
import { voidPlans } from "./lease.ts"

/** A transaction that is final, and its slot. */
export type Final = { signature: string; slot: number }

/** Marks transactions as final. */
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
 * A confirmed transaction vanished from the chain and can no longer land: queues its operations to be done again. Their
 * effects on the domain stay, because the client was already told that they are done. Returns their ids; none if
 * another worker was first. The caller has proven that it cannot land (`finality.ts`).
 */
export async function settleVanished(signature: string): Promise<string[]> {
  const ended = await sql.begin(async (sql) => {
    const [row] = await sql<{ workspace_id: string }[]>`
      update transactions set status = 'expired', slot = null, settled_at = ${clock.now()}
      where signature = ${signature} and status = 'confirmed' and finalized_at is null returning workspace_id`
    if (!row) return null
    const { workspace_id } = row
    // What is being signed was planned on a fork that is gone.
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
