import { sql } from "#db/client.ts"
import { badCursor, fromCursor } from "#server/lib/cursor.ts"

/** Where a row is in lists of attestations: others look up what more their order goes by. */
export type Place = { id: string; seq: bigint }

/** The row that a page ended with. Errors: validation_failed for a cursor. */
export async function placeOf(workspaceId: string, cursor: string): Promise<Place> {
  const [row] = await sql<Place[]>`
    select id, seq from attestations where workspace_id = ${workspaceId} and id = ${fromCursor("att", cursor)}`
  return row ?? badCursor()
}
