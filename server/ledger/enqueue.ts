import type { Queryable } from "#db/client.ts"
import { newId } from "#server/lib/ids.ts"
import { clock } from "#server/lib/time.ts"

export type NewOperation = {
  workspaceId: string
  /** One of `kinds.ts`. */
  kind: string
  payload: Record<string, unknown>
  /** Accounts that it changes: operations that share one run in their order, one at a time. */
  writes: string[]
  /** Accounts that must not change under it. */
  reads: string[]
  /** The configuration that it belongs to, and the wallet that it is for: what it is found by. */
  mintConfig?: string
  wallet?: string
}

/**
 * Puts an operation into the ledger. Call it in the transaction of the change of state that wants it, and
 * announce `ledger` after the commit. Returns the operation's id.
 */
export async function enqueue(
  sql: Queryable,
  operation: NewOperation,
  id: string = newId("op"),
): Promise<string> {
  const { workspaceId, kind, payload, writes, reads, mintConfig = null, wallet = null } = operation
  await sql`
    insert into operations (workspace_id, id, kind, status, payload, writes, reads, mint_config, wallet, created_at)
    values (${workspaceId}, ${id}, ${kind}, 'queued', ${sql.json(payload as never)}, ${writes}, ${reads}, ${mintConfig},
      ${wallet}, ${clock.now()})`
  return id
}
