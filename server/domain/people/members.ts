import { type Queryable, sql } from "#db/client.ts"
import { publishAccessLoss } from "#db/pubsub.ts"
import { type TableRow, timestamped } from "#db/rows.ts"
import { type Change, recordAccountChange } from "#domain/audit-log"
import type { Caller, Principal } from "#domain/requests"
import { linkless } from "#server/lib/linkless.ts"
import { clock } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import type { Mode } from "#shared/mode.ts"
import { permissionsOf, type Role } from "#shared/roles.ts"
import type { Permission } from "#shared/scopes.ts"
import { admittedBy, decidesTogether, reviewers } from "./admission.ts"
import { createInvitation, endInvitationsOf } from "./invitations.ts"
import { mailer, sendOrUndo, takeMail } from "./mail.ts"
import { accountOf, requireMember, userIdOf } from "./membership.ts"
import { hasSecondFactor } from "./second-factor.ts"

type Member = {
  user_id: string
  name: string
  email: string
  role: Role
  /** Whether a reviewer must confirm them before they decide (`admission.ts`). `yours`: the reader can. */
  admission: "waits" | "yours" | null
  /** Whether they opened a link mailed to the address; null if this server cannot send mail. */
  email_confirmed: boolean | null
  /** Whether they have an authenticator app or a passkey. */
  second_factor: boolean
  joined_at: Date
}
/** An unused link. */
type OpenInvitation = Pick<TableRow<"invitations">, "id" | "role" | "email" | "invited_by" | "expires_at">

/** The members of the workspace's account, and open invitations. */
export async function listMembers({ workspaceId, via }: Principal) {
  const me = via.kind === "user" ? via.userId : null
  const mails = mailer().send !== null
  const [members, invitations] = await Promise.all([
    sql<Member[]>`
      select m.user_id, u.name, u.email, m.role, ${hasSecondFactor()} as second_factor, m.created_at as joined_at,
        case when ${mails} then u.email_verified end as email_confirmed,
        case when ${decidesTogether(sql)} and m.admitted_by is not null then
          case when m.admitted_by <> r.user_id then 'yours' else 'waits' end end as admission
      from workspaces w join accounts a on a.id = w.account_id
      join members m on m.account_id = w.account_id join users u on u.id = m.user_id
      left join members r on r.account_id = w.account_id and r.user_id = ${me} and r.admitted_by is null
        and r.role = any(${reviewers})
      where w.id = ${workspaceId} order by m.created_at desc, m.user_id`,
    sql<OpenInvitation[]>`
      select i.id, i.role, i.email, u.name as invited_by, i.expires_at
      from workspaces w join invitations i on i.account_id = w.account_id left join users u on u.id = i.invited_by
      where w.id = ${workspaceId} and i.used_at is null and i.expires_at > ${clock.now()}
        and exists (select from members m where m.account_id = i.account_id and m.user_id = i.invited_by and m.role = 'owner')
      order by i.created_at desc, i.id`,
  ])
  return { members: members.map(timestamped), invitations: invitations.map(timestamped) }
}

/**
 * Invites by mail if an address is given and mail is configured. Otherwise returns the link, for the inviter to pass
 * on. Errors: invitation_limit, second_person_required, rate_limited, mail_failed.
 */
export async function inviteMember({ role, email, ...caller }: Caller & { role: Role; email: string | null }): Promise<{
  id: string
  link: string | null
  sent_to: string | null
}> {
  const { send } = mailer()
  const account = await accountOf(sql, caller.principal.workspaceId)
  const accountId = account.id
  const invitedBy = userIdOf(caller)
  const invitation = await sql.begin(async (sql) => {
    const mailed = send !== null && email !== null
    const created = await createInvitation(sql, { accountId, role, email, invitedBy, mailed })
    await admittedBy(sql, { accountId, by: invitedBy, role })
    if (mailed) await takeMail(sql, { to: email, accountId, reason: "sent by others" })
    const change: Change = { author: caller, action: "member.invited", subject: created.id, detail: { role } }
    await recordAccountChange(sql, accountId, change)
    return created
  })
  if (send === null || email === null) return { ...invitation, sent_to: null }
  const name = linkless(account.name)
  const demand = account.second_factor_required
    ? `\n\n${name} requires a second factor: have an authenticator app or a passkey ready.`
    : ""
  const text = `You are invited to join ${name} on Vouch as ${role}. Open this link within seven days:\n\n${invitation.link}${demand}`
  const mail = { to: email, subject: `Join ${name} on Vouch`, text }
  const undo = () => revokeInvitation({ ...caller, id: invitation.id })
  await sendOrUndo(send, mail, { undo, next: "Invite without an address to get a link." })
  return { id: invitation.id, link: null, sent_to: email }
}

/** Revokes an unused link. */
export async function revokeInvitation({ id, ...caller }: Caller & { id: string }): Promise<{ id: string }> {
  await sql.begin(async (sql) => {
    const { id: accountId } = await accountOf(sql, caller.principal.workspaceId)
    const ended = await sql`
      update invitations set used_at = ${clock.now()} where account_id = ${accountId} and id = ${id} and used_at is null
      returning id`
    if (ended.length === 0) return
    await recordAccountChange(sql, accountId, { author: caller, action: "member.invitation_revoked", subject: id })
  })
  return { id }
}

/** The access that a removed or demoted member leaves behind. */
export type Leftovers = {
  /** Their unused links, which no longer work. */
  invitations_ended: number
  /** Working API keys whose secret they saw. Only revoking or rotating ends that access. */
  keys: KnownKey[]
}

/**
 * Changes a member's role. If they can no longer invite or manage keys, ends their invitations and returns the keys
 * that they know. Errors: member_not_found, last_owner, second_person_required.
 */
export const changeRole = async ({ userId, role, ...caller }: Caller & { userId: string; role: Role }) => {
  const leftovers = await changeMember(caller, userId, async (sql, accountId, before): Promise<Leftovers> => {
    if (before === role) return { invitations_ended: 0, keys: [] }
    if (before === "owner") await requireOtherOwner(sql, accountId, userId)
    const admitted_by = await admittedBy(sql, { accountId, by: userIdOf(caller), role })
    await sql`
      update members set role = ${role},
        admitted_by = case when not role = any(${reviewers}) or ${!reviewers.includes(role)} then ${admitted_by}::text else admitted_by end
      where account_id = ${accountId} and user_id = ${userId}`
    const may = (permission: Permission) => permissionsOf(role).has(permission)
    const ended = may("member:write") ? 0 : await endInvitationsOf(sql, accountId, userId)
    const detail = { before, after: role, ...(ended > 0 && { invitations_ended: ended }) }
    await recordAccountChange(sql, accountId, {
      author: caller,
      action: "member.role_changed",
      subject: userId,
      detail,
    })
    const keys = may("key:write") ? [] : await keysKnownTo(sql, accountId, userId)
    return { invitations_ended: ended, keys }
  })
  return { user_id: userId, role, ...leftovers }
}

/** Ends a membership and its invitations. The user stays, for other accounts. Errors: member_not_found, last_owner. */
export const removeMember = async ({ userId, ...caller }: Caller & { userId: string }) => {
  const leftovers = await changeMember(caller, userId, async (sql, accountId, role): Promise<Leftovers> => {
    if (role === "owner") await requireOtherOwner(sql, accountId, userId)
    await sql`delete from members where account_id = ${accountId} and user_id = ${userId}`
    await sql`
      delete from saved_filters where user_id = ${userId}
        and workspace_id in (select id from workspaces where account_id = ${accountId})`
    const ended = await endInvitationsOf(sql, accountId, userId)
    const detail = { role, ...(ended > 0 && { invitations_ended: ended }) }
    await recordAccountChange(sql, accountId, { author: caller, action: "member.removed", subject: userId, detail })
    return { invitations_ended: ended, keys: await keysKnownTo(sql, accountId, userId) }
  })
  return { user_id: userId, ...leftovers }
}

/** Locks the account, so that two owners cannot remove each other at the same time. */
async function changeMember<T>(
  { principal }: Caller,
  userId: string,
  change: (sql: Queryable, accountId: string, role: Role) => Promise<T>,
): Promise<T> {
  const changed = await sql.begin(async (sql) => {
    const { id } = await accountOf(sql, principal.workspaceId, { lock: true })
    const { role } = await requireMember(sql, id, userId)
    return change(sql, id, role)
  })
  await publishAccessLoss(userId)
  return changed
}

async function requireOtherOwner(sql: Queryable, accountId: string, userId: string): Promise<void> {
  const [other] = await sql`
    select from members where account_id = ${accountId} and role = 'owner' and user_id <> ${userId} limit 1`
  if (!other) fail("last_owner", "user_id: this is the account's only owner. Make another member an owner first.")
}

/** An active key whose secret a member saw when they created or rotated it. */
export type KnownKey = { key_id: string; workspace_id: string; mode: Mode; name: string; start: string }

/** The active keys of both workspaces of an account that a person knows, newest first. */
export const keysKnownTo = (sql: Queryable, accountId: string, userId: string): Promise<KnownKey[]> => {
  const now = clock.now()
  return sql<KnownKey[]>`
    select distinct on (k.created_at, k.id) k.id as key_id, w.id as workspace_id, w.mode, k.name, s.start
    from workspaces w join api_keys k on k.workspace_id = w.id
    join key_secrets s on s.workspace_id = k.workspace_id and s.key_id = k.id
    where w.account_id = ${accountId} and s.shown_to = ${userId} and k.revoked_at is null
      and (k.expires_at is null or k.expires_at > ${now}) and (s.valid_until is null or s.valid_until > ${now})
    order by k.created_at desc, k.id, s.created_at desc`
}
