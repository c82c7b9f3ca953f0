import { fail } from "#shared/errors.ts"
import { type IdPrefix, isId } from "./ids.ts"

/** An opaque cursor: the last record seen. Its position is looked up, so that a cursor reveals nothing. */
export const toCursor = (id: string): string => Buffer.from(id).toString("base64url")

/** The id in a cursor. Errors: validation_failed. */
export function fromCursor(prefix: IdPrefix, cursor: string): string {
  const id = Buffer.from(cursor, "base64url").toString("latin1")
  return isId(prefix, id) && toCursor(id) === cursor ? id : badCursor()
}

/** A page of rows, of which one more than `limit` was read, and the cursor of the next page. */
export const pageOf = <Row extends { id: string }, Shown>(
  rows: readonly Row[],
  limit: number,
  show: (row: Row) => Shown,
): { data: Shown[]; next_cursor: string | null } => ({
  data: rows.slice(0, limit).map(show),
  next_cursor: rows.length > limit ? toCursor(rows[limit - 1]!.id) : null,
})

export const badCursor = (): never =>
  fail("validation_failed", "cursor: not valid for this list. Use next_cursor of the previous page.")
