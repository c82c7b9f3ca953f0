import { sql } from "#db/client.ts"
import { badCursor, fromCursor } from "#server/lib/cursor.ts"

/** The position of a row in lists of attestations. Other orders look up what else they need by it. */
export type Place = { id: string; seq: bigint }

/** The row at which a page ended. Errors: validation_failed for a cursor. */
export async function placeOf(workspaceId: string, cursor: string): Promise<Place> {
  const [row] = await sql<Place[]>`
    select id, seq from attestations where workspace_id = ${workspaceId} and id = ${fromCursor("att", cursor)}`
  return row ?? badCursor()
}
