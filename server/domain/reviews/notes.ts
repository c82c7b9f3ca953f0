import { type Queryable, repeatOnDeadlock, sql } from "#db/client.ts"
import { publishActivity } from "#db/pubsub.ts"
import { recordChange } from "#domain/audit-log"
import { seal } from "#domain/deployment"
import { holdPermission } from "#domain/people"
import { clock } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import { type Acting, lockReview } from "./lock.ts"
import { entryOwner } from "./owners.ts"

/** The most notes of a review. */
const MOST_NOTES = 500

/**
 * Adds a note, also to a closed review. Notes are sealed, and erased with the person. Errors:
 * review_not_found, validation_failed, insufficient_scope.
 */
export async function addNote({
  principal,
  requestId,
  reviewId,
  text,
}: Omit<Acting, "version"> & { text: string }): Promise<{ review_id: string }> {
  const { workspaceId, via } = principal
  const author = { principal, requestId }
  const add = async (sql: Queryable) => {
    await holdPermission(sql, workspaceId, author, "review:write")
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
    await recordChange(sql, workspaceId, { author, action: "review.noted", subject: reviewId })
  }
  await repeatOnDeadlock(() => sql.begin(add))
  publishActivity(workspaceId)
  return { review_id: reviewId }
}
