import { fail } from "#shared/errors.ts"
import { type IdPrefix, isId } from "./ids.ts"

/** An opaque cursor: the last record seen. Its position is looked up, so that a cursor reveals nothing. */
export const toCursor = (id: string): string => Buffer.from(id).toString("base64url")

/** The id in a cursor. Errors: validation_failed. */
export function fromCursor(prefix: IdPrefix, cursor: string): string {
  const id = Buffer.from(cursor, "base64url").toString("latin1")
  return isId(prefix, id) && toCursor(id) === cursor ? id : badCursor()
}

export const badCursor = (): never =>
  fail("validation_failed", "cursor: not valid for this list. Use next_cursor of the previous page.")
