import type { Queryable } from "#db/client.ts"
import { only } from "#db/rows.ts"
import type { Address } from "#shared/address.ts"
import type { Mode } from "#shared/mode.ts"

type PayingKey = { mode: Mode; authority: Address; isShared: boolean }

/**
 * The key that pays for a workspace: its authority. Every transaction of the workspace names it, so its history shows
 * every payment. If the key is also another workspace's, its token accounts hold both workspaces' money, and neither may
 * spend it.
 */
export async function readPayingKey(sql: Queryable, workspaceId: string): Promise<PayingKey> {
  const rows = await sql<PayingKey[]>`
    select w.mode, w.authority, exists (select from workspace_authorities a
      where a.address = w.authority and a.workspace_id <> w.id) as "isShared"
    from workspaces w where w.id = ${workspaceId}`
  return only(rows)
}
