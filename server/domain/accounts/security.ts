import { type Queryable, sql } from "#db/client.ts"
import { publishAccessLoss } from "#db/pubsub.ts"
import { recordAccountChange } from "#domain/audit-log"
import { type Account, hasSecondFactor } from "#domain/people"
import type { Caller, SignedIn } from "#domain/requests"
import { fail } from "#shared/errors.ts"
import { changeAccount } from "./accounts.ts"

/** What an account requires of its members. */
export type AccountSecurity = Pick<Account, "second_factor_required">

/**
 * Switches an account's requirement of a second factor. The member who requires it has one and used it in this sign-in,
 * so at least one member can always sign in. Errors: second_factor_required, insufficient_scope.
 */
export async function setSecurity({
  user,
  required,
  ...caller
}: Caller & { user: SignedIn | null; required: boolean }): Promise<AccountSecurity> {
  const members = await changeAccount(caller, "member:write", async (sql, { id, second_factor_required }) => {
    if (required && !second_factor_required) await requireOwnFactor(user)
    if (required === second_factor_required) return []
    await sql`update accounts set second_factor_required = ${required} where id = ${id}`
    const detail = { before: { second_factor_required }, after: { second_factor_required: required } }
    await recordAccountChange(sql, id, { author: caller, action: "account.security_changed", subject: id, detail })
    return membersOf(sql, id)
  })
  for (const userId of members) await publishAccessLoss(userId)
  return { second_factor_required: required }
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

/** The members whose open streams must be checked again. */
async function membersOf(sql: Queryable, accountId: string): Promise<string[]> {
  const rows = await sql<{ user_id: string }[]>`select user_id from members where account_id = ${accountId}`
  return rows.map(({ user_id }) => user_id)
}
