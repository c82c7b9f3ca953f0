import { sql } from "#db/client.ts"
import { isId } from "#server/lib/ids.ts"

/** Who an id stands for: whoever was found to be the same person as another is that other one. Null where there is nobody. */
export async function resolveInvestor(workspaceId: string, id: string): Promise<string | null> {
  if (!isId("inv", id)) return null
  const [row] = await sql<{ id: string }[]>`
    select coalesce(merged_into, id) as id from investors where workspace_id = ${workspaceId} and id = ${id}`
  return row?.id ?? null
}
