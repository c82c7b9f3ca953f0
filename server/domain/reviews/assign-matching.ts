import { sql } from "#db/client.ts"
import { idsUpTo } from "#db/seq-at.ts"
import { recordChanges, withoutSearch } from "#domain/audit-log"
import { openRows, sealRows } from "#domain/deployment"
import { changeAs } from "#domain/people"
import type { Caller, Principal } from "#domain/requests"
import { toCursor } from "#server/lib/cursor.ts"
import { MOST_MATCHING } from "#shared/bulk.ts"
import { fail } from "#shared/errors.ts"
import { requireReviewer } from "./assign.ts"
import { findWaiting, type ReviewFilter } from "./read.ts"

type QueueFilter = Omit<ReviewFilter, "state">

/**
 * How many waiting reviews match, exactly up to `MOST_MATCHING`. `rows` are these, for the member's request, and `up_to`
 * is the newest of them as a cursor.
 */
export async function countMatching(principal: Principal, filter: QueueFilter) {
  const found = await findWaiting(sql, principal, { filter, limit: MOST_MATCHING + 1 })
  const newest = found.at(-1)
  return {
    count: found.length,
    is_too_many: found.length > MOST_MATCHING,
    rows: newest && found.length <= MOST_MATCHING ? sealRows(rowsOf(principal.workspaceId), found) : null,
    up_to: newest ? toCursor(newest.id) : null,
  }
}

/** Those of the reviews that are not newer than `upTo`, and may be among those that the member assigns. */
export const reviewsUpTo = ({ workspaceId }: Principal, of: { ids: readonly string[]; upTo: string }) =>
  idsUpTo("reviews", "rev", workspaceId, of)

type AssigningMatching = Caller & {
  filter: QueueFilter
  /** Those that the member counted. */
  rows: string
  assignee: string | null
}

const rowsOf = (workspaceId: string): string => `reviews of ${workspaceId}`

/**
 * Assigns the waiting reviews that the member counted, in one commit. Those that no longer match, such as ones that others
 * closed since, are left out. Errors: selection_changed if none is left; validation_failed, insufficient_scope.
 */
export const assignMatching = ({ filter, rows, assignee, ...caller }: AssigningMatching) =>
  changeAs(caller, "review:write", async (sql) => {
    const { principal } = caller
    const { workspaceId } = principal
    await requireReviewer(sql, workspaceId, assignee)
    const counted = openRows(rowsOf(workspaceId), rows)
    const [last, seen] = [[...counted].at(-1)!, counted.size]
    const matching = await findWaiting(sql, principal, { filter, last, limit: MOST_MATCHING + 1, lock: true })
    const ids = matching.flatMap(({ id, seq }) => (counted.has(seq) ? [id] : []))
    if (ids.length === 0) fail("selection_changed", "None of these reviews still waits.")
    const changed = await sql<{ id: string }[]>`
      update reviews set assignee = ${assignee}
      where workspace_id = ${workspaceId} and id = any(${ids}) and assignee is distinct from ${assignee} returning id`
    const [person] = await sql<{ name: string }[]>`select name from users where id = ${assignee}`
    const named = { assignee: person?.name ?? null }
    // One entry for the act, and one in the history of each review.
    const act = {
      subject: workspaceId,
      detail: { ...named, filter: withoutSearch(filter), seen, reviews: ids.length },
    }
    const each = changed.map(({ id }) => ({
      author: caller,
      action: "review.assigned" as const,
      subject: id,
      detail: named,
    }))
    await recordChanges(sql, workspaceId, [{ author: caller, action: "reviews.assigned", ...act }, ...each])
    return { assigned: ids.length, gone: seen - ids.length }
  })
