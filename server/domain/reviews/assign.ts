import { type Queryable, sql } from "#db/client.ts"
import { recordChange } from "#domain/audit-log"
import { seal } from "#domain/deployment"
import { changeAs, reviewers, stillHasPermission } from "#domain/people"
import type { Caller, Principal } from "#domain/requests"
import { clock } from "#server/lib/time.ts"
import { type ErrorCode, Failure, fail } from "#shared/errors.ts"
import { type Acting, lockReview } from "./lock.ts"
import { entryOwner } from "./owners.ts"

type Assigning = Caller & { reviewId: string; assignee: string | null }

/**
 * Assigns a review to a member who decides reviews, or to no one. Errors: review_not_found, review_changed,
 * validation_failed, insufficient_scope.
 */
export const assignReview = ({ reviewId, assignee, ...caller }: Assigning) =>
  changeAs(caller, "review:write", async (sql) => {
    const { workspaceId } = caller.principal
    const assigned = { review_id: reviewId, assignee }
    await requireReviewer(sql, workspaceId, assignee)
    const review = await lockReview(sql, workspaceId, reviewId)
    if (review.state === "closed") fail("review_changed", "This review has closed, so it can no longer be assigned.")
    if (review.assignee === assignee) return assigned
    await sql`update reviews set assignee = ${assignee} where workspace_id = ${workspaceId} and id = ${reviewId}`
    const [person] = await sql<{ name: string }[]>`select name from users where id = ${assignee}`
    const detail = { assignee: person?.name ?? null }
    await recordChange(sql, workspaceId, { author: caller, action: "review.assigned", subject: reviewId, detail })
    return assigned
  })

/** Errors: validation_failed if the member cannot decide reviews. */
export async function requireReviewer(sql: Queryable, workspaceId: string, assignee: string | null): Promise<void> {
  if (assignee !== null && !(await stillHasPermission(sql, workspaceId, assignee, "review:write")))
    fail("validation_failed", "assignee: must be a member of this account who can decide reviews.")
}

type AssigningMany = Caller & { reviewIds: readonly string[]; assignee: string | null }

/**
 * Assigns each of several reviews in its own commit, so that those closed by other members in the meantime stop no
 * others. Returns their ids as `closed`. Errors: validation_failed, insufficient_scope.
 */
export async function assignReviews({ reviewIds, ...assigning }: AssigningMany) {
  const ids = [...new Set(reviewIds)]
  const closed: string[] = []
  for (const reviewId of ids) {
    try {
      await assignReview({ ...assigning, reviewId })
    } catch (error) {
      if (!(error instanceof Failure && GONE.has(error.code))) throw error
      closed.push(reviewId)
    }
  }
  return { assigned: ids.length - closed.length, closed }
}

/** Errors of reviews that can no longer be assigned. */
const GONE: ReadonlySet<ErrorCode> = new Set(["review_changed", "review_not_found"])

/** The members who can decide reviews of the workspace. */
export const listReviewers = ({ workspaceId }: Principal): Promise<{ user_id: string; name: string }[]> =>
  sql<{ user_id: string; name: string }[]>`
    select m.user_id, u.name from workspaces w join members m on m.account_id = w.account_id
    join users u on u.id = m.user_id
    where w.id = ${workspaceId} and m.role = any(${reviewers}) order by u.name, m.user_id`

/** The most notes of a review. */
const MOST_NOTES = 500

/** Adds a sealed note, also to a closed review. Errors: review_not_found, validation_failed, insufficient_scope. */
export const addNote = ({ reviewId, text, ...caller }: Omit<Acting, "version"> & { text: string }) =>
  changeAs(caller, "review:write", async (sql) => {
    const { workspaceId, via } = caller.principal
    const { erased_at } = await lockReview(sql, workspaceId, reviewId)
    if (erased_at !== null)
      fail("validation_failed", "review_id: this person was erased, so you cannot add notes about them.")
    const [notes] = await sql<{ count: number }[]>`
      select count(*)::int as count from review_entries
      where workspace_id = ${workspaceId} and review_id = ${reviewId} and finding is null`
    if (notes!.count >= MOST_NOTES)
      fail("validation_failed", `text: this review has reached the limit of ${MOST_NOTES} notes.`)
    await sql`
      insert into review_entries (workspace_id, review_id, at, author_id, author_name, text)
      values (${workspaceId}, ${reviewId}, ${clock.now()}, ${via.userId}, ${via.name}, ${seal(entryOwner(reviewId), text)})`
    await recordChange(sql, workspaceId, { author: caller, action: "review.noted", subject: reviewId })
    return { review_id: reviewId }
  })
