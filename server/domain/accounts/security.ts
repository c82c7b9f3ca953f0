import { type Queryable, sql } from "#db/client.ts"
import { publishAccessLoss } from "#db/pubsub.ts"
import { recordAccountChange } from "#domain/audit-log"
import {
  type Account,
  hasSecondFactor,
  holdPermission,
  requireAdmitted,
  reviewers,
  stillHasPermission,
  userIdOf,
} from "#domain/people"
import type { Caller, Principal, SignedIn } from "#domain/requests"
import { addDays, clock, toTimestamp } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import { changeAccount } from "./accounts.ts"

/** What an account requires of its members. */
export type AccountSecurity = Pick<Account, "second_factor_required" | "four_eyes">

/** The fewest members for decisions that need two. */
const TWO = 2
/** How long a request to turn four eyes off can be confirmed. */
const CONFIRMABLE_DAYS = 7

/**
 * Switches an account's requirements on, or the second factor off. The member who requires a second factor has one and
 * used it in this sign-in, so at least one member can always sign in. Four eyes require two members who decide reviews.
 * Errors: second_factor_required, validation_failed, insufficient_scope.
 */
export async function setSecurity({
  user,
  wanted,
  ...caller
}: Caller & {
  user: SignedIn | null
  wanted: { second_factor_required: boolean } | { four_eyes: true }
}): Promise<AccountSecurity> {
  const { after, members } = await changeAccount(caller, "member:write", async (sql, account) => {
    const { id, second_factor_required, four_eyes } = account
    const before: AccountSecurity = { second_factor_required, four_eyes }
    const after: AccountSecurity = { ...before, ...wanted }
    if (after.second_factor_required && !before.second_factor_required) await requireOwnFactor(user)
    if (after.four_eyes && !before.four_eyes) {
      const reviewing =
        await sql`select from members where account_id = ${id} and role = any(${reviewers}) limit ${TWO}`
      if (reviewing.length < TWO)
        fail(
          "validation_failed",
          "required: four eyes need two members who decide reviews. Invite another owner or compliance officer first.",
        )
    }
    if ("four_eyes" in wanted) await keepFourEyes(sql, caller, account)
    const changed = (Object.keys(after) as (keyof AccountSecurity)[]).filter((key) => before[key] !== after[key])
    if (changed.length === 0) return { after, members: [] }
    await sql`
      update accounts set second_factor_required = ${after.second_factor_required}, four_eyes = ${after.four_eyes}
      where id = ${id}`
    // Everyone who decides now is trusted by the account.
    if (after.four_eyes && !before.four_eyes)
      await sql`update members set admitted_by = null where account_id = ${id} and admitted_by is not null`
    const pick = (of: AccountSecurity) => Object.fromEntries(changed.map((key) => [key, of[key]]))
    const detail = { before: pick(before), after: pick(after) }
    await recordAccountChange(sql, id, { author: caller, action: "account.security_changed", subject: id, detail })
    return { after, members: await membersOf(sql, id) }
  })
  for (const userId of members) await publishAccessLoss(userId)
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

/** The members whose open streams must be checked again. */
async function membersOf(sql: Queryable, accountId: string): Promise<string[]> {
  const rows = await sql<{ user_id: string }[]>`select user_id from members where account_id = ${accountId}`
  return rows.map(({ user_id }) => user_id)
}

/**
 * Turns four eyes off, which takes two members like the decisions it protects: an owner asks for it, and another member
 * who decides reviews confirms it within seven days. Errors: second_person_required, insufficient_scope.
 */
export async function turnOffFourEyes(caller: Caller): Promise<{ four_eyes: boolean; requested: boolean }> {
  const { workspaceId } = caller.principal
  const userId = userIdOf(caller)
  const { members, ...done } = await changeAccount(caller, "review:write", async (sql, account) => {
    if (userId !== null) await requireAdmitted(sql, workspaceId, userId)
    const { id, four_eyes, four_eyes_off_by: asker, four_eyes_off_at: at } = account
    if (!four_eyes) return { four_eyes, requested: false, members: [] }
    const isOpen =
      asker !== null &&
      at !== null &&
      isConfirmable(at) &&
      (await stillHasPermission(sql, workspaceId, asker, "member:write"))
    if (isOpen && asker !== userId) {
      await sql`
        update accounts set four_eyes = false, four_eyes_off_by = null, four_eyes_off_at = null where id = ${id}`
      const detail = { before: { four_eyes: true }, after: { four_eyes: false }, requested_by: asker }
      await recordAccountChange(sql, id, { author: caller, action: "account.security_changed", subject: id, detail })
      return { four_eyes: false, requested: false, members: await membersOf(sql, id) }
    }
    if (isOpen) fail("second_person_required", "You asked to turn four eyes off. Another member has to confirm it.")
    await holdPermission(sql, workspaceId, caller, "member:write")
    await sql`update accounts set four_eyes_off_by = ${userId}, four_eyes_off_at = ${clock.now()} where id = ${id}`
    await recordAccountChange(sql, id, { author: caller, action: "account.four_eyes_off_requested", subject: id })
    return { four_eyes, requested: true, members: [] }
  })
  for (const one of members) await publishAccessLoss(one)
  return done
}

/** Withdraws a request to turn four eyes off, if there is one. */
async function keepFourEyes(sql: Queryable, author: Caller, { id, four_eyes_off_by }: Account): Promise<void> {
  if (four_eyes_off_by === null) return
  await sql`update accounts set four_eyes_off_by = null, four_eyes_off_at = null where id = ${id}`
  await recordAccountChange(sql, id, { author, action: "account.four_eyes_kept", subject: id })
}

const isConfirmable = (at: Date): boolean => addDays(at, CONFIRMABLE_DAYS) > clock.now()

/** An owner's request to turn four eyes off, which waits for another member. */
export type OffRequest = { by: string; is_own: boolean; until: string }

/** The open request in the account of a workspace; null if there is none. */
export async function readOffRequest({ workspaceId, via }: Principal): Promise<OffRequest | null> {
  const [row] = await sql<{ id: string; name: string; at: Date }[]>`
    select u.id, u.name, a.four_eyes_off_at as at
    from workspaces w join accounts a on a.id = w.account_id join users u on u.id = a.four_eyes_off_by
    join members m on m.account_id = a.id and m.user_id = u.id and m.role = 'owner'
    where w.id = ${workspaceId} and a.four_eyes`
  if (!row || !isConfirmable(row.at)) return null
  const is_own = via.kind === "user" && via.userId === row.id
  return { by: row.name, is_own, until: toTimestamp(addDays(row.at, CONFIRMABLE_DAYS)) }
}
