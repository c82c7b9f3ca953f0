import { type Queryable, sql } from "#db/client.ts"
import { type Author, recordAccountChange, theOperator } from "#domain/audit-log"
import type { Caller } from "#domain/requests"
import { fail } from "#shared/errors.ts"
import { allRoles, permissionsOf, type Role } from "#shared/roles.ts"
import { accountOf, holdPermission, requireMember, userIdOf } from "./membership.ts"

// If several members decide reviews together, an owner could invite a second account and decide with it. So a member who
// becomes a reviewer in that time counts only after another reviewer has confirmed them. Until then
// `members.admitted_by` is the owner.

/** Roles that decide reviews. */
export const reviewers: Role[] = allRoles.filter((role) => permissionsOf(role).has("review:write"))

/** Whether a workspace of account `a` has a policy under which several members decide reviews. */
export const decidesTogether = (sql: Queryable) => sql`
  exists (select from workspaces pw join approval_policies p on p.workspace_id = pw.id
    where pw.account_id = a.id and 'review_decision' = any(p.actions))`

/**
 * The owner who makes someone a reviewer, and so cannot confirm them; null if one member decides alone or the role cannot
 * decide. An owner who waits to be confirmed cannot let anyone in: once confirmed, they could confirm their own second
 * accounts. The caller must have locked the account. Errors: second_person_required.
 */
export async function admittedBy(
  sql: Queryable,
  { accountId, by, role }: { accountId: string; by: string | null; role: Role },
): Promise<string | null> {
  if (!reviewers.includes(role)) return null
  const [owner] = await sql<{ waits: boolean }[]>`
    select m.admitted_by is not null as waits
    from accounts a join members m on m.account_id = a.id and m.user_id = ${by}
    where a.id = ${accountId} and ${decidesTogether(sql)}`
  if (owner?.waits)
    fail(
      "second_person_required",
      "role: an owner who waits to be confirmed cannot let reviewers in. Ask another reviewer to confirm them first, under Settings, Members.",
    )
  return owner ? by : null
}

/** Errors: second_person_required, for a reviewer whom no other reviewer has confirmed. */
export async function requireAdmitted(sql: Queryable, workspaceId: string, userId: string): Promise<void> {
  const [waiting] = await sql`
    select from workspaces w join accounts a on a.id = w.account_id and ${decidesTogether(sql)}
    join members m on m.account_id = a.id and m.user_id = ${userId} and m.admitted_by is not null
    where w.id = ${workspaceId}`
  if (waiting)
    fail(
      "second_person_required",
      "You joined as a reviewer while a policy lets several members decide reviews together. Another reviewer must confirm you first, under Settings, Members. If there is no other reviewer, ask this server's operator.",
    )
}

/** Confirms a reviewer whom another let in. Errors: member_not_found, second_person_required, insufficient_scope. */
export async function admitMember({ userId, ...caller }: Caller & { userId: string }): Promise<{ user_id: string }> {
  const { workspaceId } = caller.principal
  await sql.begin(async (sql) => {
    const { id: accountId } = await accountOf(sql, workspaceId, { lock: true })
    await holdPermission(sql, workspaceId, caller, "review:write")
    const me = userIdOf(caller)!
    await requireAdmitted(sql, workspaceId, me)
    const { admitted_by } = await requireMember(sql, accountId, userId)
    if (admitted_by === null) return
    if (admitted_by === me)
      fail("second_person_required", "You let this member in, so another reviewer must confirm them.")
    await admit(sql, accountId, userId, caller)
  })
  return { user_id: userId }
}

/** Confirms a member as the operator, if no other reviewer is left. Returns whether the member was waiting. */
export const admitByOperator = ({ accountId, email }: { accountId: string; email: string }): Promise<boolean> =>
  sql.begin(async (sql) => {
    const [waiting] = await sql<{ user_id: string }[]>`
      select m.user_id from members m join users u on u.id = m.user_id
      where m.account_id = ${accountId} and u.email = ${email} and m.admitted_by is not null`
    if (!waiting) return false
    await admit(sql, accountId, waiting.user_id, theOperator)
    return true
  })

async function admit(sql: Queryable, accountId: string, userId: string, author: Author): Promise<void> {
  await sql`update members set admitted_by = null where account_id = ${accountId} and user_id = ${userId}`
  await recordAccountChange(sql, accountId, { author, action: "member.admitted", subject: userId })
}
