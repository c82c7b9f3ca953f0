import { type Queryable, repeatOnDeadlock, sql } from "#db/client.ts"
import { publishActivity } from "#db/pubsub.ts"
import { recordChange } from "#domain/audit-log"
import { holdPermission, stillHasPermission } from "#domain/people"
import type { Principal } from "#domain/requests"
import { fail } from "#shared/errors.ts"
import { permissionsOf, type Role } from "#shared/roles.ts"
import { lockReview } from "./lock.ts"

type Assigning = { principal: Principal; requestId: string; reviewId: string; assignee: string | null }

/**
 * Assigns a review to a member who decides reviews, or to no one. Errors: review_not_found, review_changed,
 * validation_failed, insufficient_scope.
 */
export async function assignReview({
  principal,
  requestId,
  reviewId,
  assignee,
}: Assigning): Promise<{ review_id: string; assignee: string | null }> {
  const { workspaceId } = principal
  const author = { principal, requestId }
  const assign = async (sql: Queryable) => {
    await holdPermission(sql, workspaceId, author, "review:write")
    if (assignee !== null && !(await stillHasPermission(sql, workspaceId, assignee, "review:write")))
      fail("validation_failed", "assignee: must be a member of this account who can decide reviews.")
    const review = await lockReview(sql, workspaceId, reviewId)
    if (review.state === "closed") fail("review_changed", "This review has closed, so it can no longer be assigned.")
    if (review.assignee === assignee) return
    await sql`update reviews set assignee = ${assignee} where workspace_id = ${workspaceId} and id = ${reviewId}`
    const [person] = await sql<{ name: string }[]>`select name from users where id = ${assignee}`
    await recordChange(sql, workspaceId, {
      author,
      action: "review.assigned",
      subject: reviewId,
      detail: { assignee: person?.name ?? null },
    })
  }
  await repeatOnDeadlock(() => sql.begin(assign))
  publishActivity(workspaceId)
  return { review_id: reviewId, assignee }
}

/** The members who can decide reviews of the workspace. */
export async function listReviewers({ workspaceId }: Principal): Promise<{ user_id: string; name: string }[]> {
  const members = await sql<{ user_id: string; name: string; role: Role }[]>`
    select m.user_id, u.name, m.role from workspaces w join members m on m.account_id = w.account_id
    join users u on u.id = m.user_id where w.id = ${workspaceId} order by u.name, m.user_id`
  return members
    .filter(({ role }) => permissionsOf(role).has("review:write"))
    .map(({ user_id, name }) => ({ user_id, name }))
}
