import { sql } from "#db/client.ts"
import { publishAccessLoss } from "#db/pubsub.ts"
import { only } from "#db/rows.ts"
import { recordAccountChange } from "#domain/audit-log"
import { hasSecondFactor, holdPermission, reviewers } from "#domain/people"
import type { Principal, SignedIn } from "#domain/requests"
import { fail } from "#shared/errors.ts"
import { keepFourEyes } from "./four-eyes.ts"

/** What an account requires of its members. */
export type AccountSecurity = { second_factor_required: boolean; four_eyes: boolean }

/** The fewest members for decisions that need two. */
const TWO = 2

/**
 * Switches an account's requirements on, or the second factor off. The member who requires a second factor has one and
 * used it in this sign-in, so at least one member can always sign in. Four eyes require two members who decide reviews.
 * Errors: second_factor_required, validation_failed, insufficient_scope.
 */
export async function setSecurity({
  principal,
  user,
  requestId,
  wanted,
}: {
  principal: Principal
  user: SignedIn | null
  requestId: string
  wanted: { second_factor_required: boolean } | { four_eyes: true }
}): Promise<AccountSecurity> {
  const author = { principal, requestId }
  const { workspaceId } = principal
  const { after, members } = await sql.begin(async (sql) => {
    await holdPermission(sql, workspaceId, author, "member:write")
    const [account] = await sql<({ id: string } & AccountSecurity)[]>`
      select a.id, a.second_factor_required, a.four_eyes from workspaces w join accounts a on a.id = w.account_id
      where w.id = ${workspaceId} for update of a`
    const { id, ...before } = account!
    const after: AccountSecurity = { ...before, ...wanted }
    if (after.second_factor_required && !before.second_factor_required) await requireOwnFactor(user)
    if (after.four_eyes && !before.four_eyes) {
      const [counted] = await sql<{ count: number }[]>`
        select count(*)::int as count from members where account_id = ${id} and role = any(${reviewers})`
      if (counted!.count < TWO)
        fail(
          "validation_failed",
          "required: four eyes need two members who decide reviews. Invite another owner or compliance officer first.",
        )
    }
    // Turning it off takes two members; see four-eyes.ts.
    if ("four_eyes" in wanted) await keepFourEyes(sql, author)
    const changed = (Object.keys(after) as (keyof AccountSecurity)[]).filter((key) => before[key] !== after[key])
    if (changed.length === 0) return { after, members: [] }
    const rows = await sql<AccountSecurity[]>`
      update accounts set second_factor_required = ${after.second_factor_required}, four_eyes = ${after.four_eyes}
      where id = ${id} returning second_factor_required, four_eyes`
    // Everyone who decides now is trusted by the account.
    if (after.four_eyes && !before.four_eyes)
      await sql`update members set admitted_by = null where account_id = ${id} and admitted_by is not null`
    const pick = (of: AccountSecurity) => Object.fromEntries(changed.map((key) => [key, of[key]]))
    await recordAccountChange(sql, id, {
      author,
      action: "account.security_changed",
      subject: id,
      detail: { before: pick(before), after: pick(after) },
    })
    const members = await sql<{ user_id: string }[]>`select user_id from members where account_id = ${id}`
    return { after: only(rows), members }
  })
  // Checks open streams again.
  for (const { user_id } of members) await publishAccessLoss(user_id)
  return after
}

/** Errors: second_factor_required. */
async function requireOwnFactor(user: SignedIn | null): Promise<void> {
  const [proven] = await sql`
    select from user_sessions s join users u on u.id = s.user_id
    where s.id = ${user?.sessionId ?? null} and s.two_factor and ${hasSecondFactor()}`
  if (!proven)
    fail(
      "second_factor_required",
      "required: set up your own second factor first, or sign in again with it if you have one.",
    )
}
