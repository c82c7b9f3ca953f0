import { sql } from "#db/client.ts"
import { idsUpTo, seqAt } from "#db/seq-at.ts"
import { recordChanges, withoutSearch } from "#domain/audit-log"
import { changeAs } from "#domain/people"
import type { Caller, Principal } from "#domain/requests"
import { toCursor } from "#server/lib/cursor.ts"
import { MOST_MATCHING } from "#shared/bulk.ts"
import { fail } from "#shared/errors.ts"
import { requireReviewer } from "./assign.ts"
import { findWaiting, type ReviewFilter } from "./read.ts"

type QueueFilter = Omit<ReviewFilter, "state">

/**
 * How many waiting reviews match, exactly up to `MOST_MATCHING`; and the newest of them as a cursor, so that the member's
 * request leaves out those that open after they looked.
 */
export async function countMatching(principal: Principal, filter: QueueFilter) {
  const found = await findWaiting(sql, principal, { filter, limit: MOST_MATCHING + 1 })
  const newest = found.at(-1)
  return {
    count: found.length,
    is_too_many: found.length > MOST_MATCHING,
    up_to: newest ? toCursor(newest.id) : null,
  }
}

/** Those of the reviews that are not newer than `upTo`, and may be among those that the member assigns. */
export const reviewsUpTo = ({ workspaceId }: Principal, of: { ids: readonly string[]; upTo: string }) =>
  idsUpTo("reviews", "rev", workspaceId, of)

type AssigningMatching = Caller & {
  filter: QueueFilter
  /** How many the member saw. */
  seen: number
  /** The newest that they saw, as a cursor. */
  upTo: string
  assignee: string | null
}

/**
 * Assigns all waiting reviews that match, in one commit. Those that others closed since the member counted them no longer
 * match, and those that opened since are left out. Errors: selection_changed if more match than the member saw, or none;
 * validation_failed, insufficient_scope.
 */
export const assignMatching = ({ filter, seen, upTo, assignee, ...caller }: AssigningMatching) =>
  changeAs(caller, "review:write", async (sql) => {
    const { principal } = caller
    const { workspaceId } = principal
    await requireReviewer(sql, workspaceId, assignee)
    const last = await seqAt("reviews", "rev", workspaceId, upTo)
    const found = await findWaiting(sql, principal, { filter, last, limit: MOST_MATCHING + 1, lock: true })
    if (found.length === 0) fail("selection_changed", "None of these reviews still waits.")
    if (found.length > seen)
      fail("selection_changed", `${found.length} reviews match now. When you selected them, ${seen} did.`)
    const ids = found.map(({ id }) => id)
    const changed = await sql<{ id: string }[]>`
      update reviews set assignee = ${assignee}
      where workspace_id = ${workspaceId} and id = any(${ids}) and assignee is distinct from ${assignee} returning id`
    const [person] = await sql<{ name: string }[]>`select name from users where id = ${assignee}`
    const named = { assignee: person?.name ?? null }
    // One entry for the act, and one in the history of each review.
    const act = {
      subject: workspaceId,
      detail: { ...named, filter: withoutSearch(filter), seen, reviews: found.length },
    }
    const each = changed.map(({ id }) => ({
      author: caller,
      action: "review.assigned" as const,
      subject: id,
      detail: named,
    }))
    await recordChanges(sql, workspaceId, [{ author: caller, action: "reviews.assigned", ...act }, ...each])
    return { assigned: found.length, gone: seen - found.length }
  })
