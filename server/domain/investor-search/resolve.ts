import { sql } from "#db/client.ts"
import { isId } from "#server/lib/ids.ts"

/** The investor that an id stands for: for a merged investor, the one they were merged into. Null if there is none. */
export async function resolveInvestor(workspaceId: string, id: string): Promise<string | null> {
  if (!isId("inv", id)) return null
  const [row] = await sql<{ id: string }[]>`
    select coalesce(merged_into, id) as id from investors where workspace_id = ${workspaceId} and id = ${id}`
  return row?.id ?? null
}
