import { type Queryable, sql } from "#db/client.ts"
import { publishAccessLoss } from "#db/pubsub.ts"
import { only } from "#db/rows.ts"
import { recordAccountChange } from "#domain/audit-log"
import { holdPermission, requireAdmitted, stillHasPermission } from "#domain/people"
import type { Principal } from "#domain/requests"
import { addDays, clock, toTimestamp } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"

/** How long a request to turn four eyes off can be confirmed. */
const CONFIRMABLE_DAYS = 7

/** An owner's request to turn four eyes off, which waits for another member. */
export type OffRequest = { by: string; is_own: boolean; until: string }

type Acting = { principal: Principal; requestId: string }
type Row = { id: string; four_eyes: boolean; four_eyes_off_by: string | null; four_eyes_off_at: Date | null }

/** Locks the account of a workspace. */
async function lockFourEyes(sql: Queryable, workspaceId: string): Promise<Row> {
  return only(
    await sql<Row[]>`
      select a.id, a.four_eyes, a.four_eyes_off_by, a.four_eyes_off_at
      from workspaces w join accounts a on a.id = w.account_id where w.id = ${workspaceId} for update of a`,
  )
}

/**
 * Turns four eyes off, which takes two members like the decisions it protects: an owner asks for it, and another member
 * who decides reviews confirms it within seven days. Errors: second_person_required, insufficient_scope.
 */
export async function turnOffFourEyes({
  principal,
  requestId,
}: Acting): Promise<{ four_eyes: boolean; requested: boolean }> {
  const { workspaceId, via } = principal
  const author = { principal, requestId }
  const userId = via.kind === "user" ? via.userId : null
  const now = clock.now()
  const done = await sql.begin(async (sql) => {
    await holdPermission(sql, workspaceId, author, "review:write")
    if (userId !== null) await requireAdmitted(sql, workspaceId, userId)
    const { id, four_eyes, four_eyes_off_by: asker, four_eyes_off_at: at } = await lockFourEyes(sql, workspaceId)
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
      await recordAccountChange(sql, id, { author, action: "account.security_changed", subject: id, detail })
      const members = await sql<{ user_id: string }[]>`select user_id from members where account_id = ${id}`
      return { four_eyes: false, requested: false, members }
    }
    if (isOpen) fail("second_person_required", "You asked to turn four eyes off. Another member has to confirm it.")
    await holdPermission(sql, workspaceId, author, "member:write")
    await sql`update accounts set four_eyes_off_by = ${userId}, four_eyes_off_at = ${now} where id = ${id}`
    await recordAccountChange(sql, id, { author, action: "account.four_eyes_off_requested", subject: id })
    return { four_eyes, requested: true, members: [] }
  })
  for (const { user_id } of done.members) await publishAccessLoss(user_id)
  return { four_eyes: done.four_eyes, requested: done.requested }
}

/** Withdraws a request, if there is one. Four eyes stay on. */
export async function keepFourEyes(sql: Queryable, { principal, requestId }: Acting): Promise<void> {
  const [kept] = await sql<{ id: string }[]>`
    update accounts a set four_eyes_off_by = null, four_eyes_off_at = null from workspaces w
    where w.id = ${principal.workspaceId} and a.id = w.account_id and a.four_eyes_off_by is not null returning a.id`
  if (!kept) return
  const author = { principal, requestId }
  await recordAccountChange(sql, kept.id, { author, action: "account.four_eyes_kept", subject: kept.id })
}

const isConfirmable = (at: Date): boolean => addDays(at, CONFIRMABLE_DAYS) > clock.now()

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
