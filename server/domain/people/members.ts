import { type Queryable, sql } from "#db/client.ts"
import { publishAccessLoss } from "#db/pubsub.ts"
import { recordAccountChange } from "#domain/audit-log"
import { deployment } from "#domain/deployment"
import type { Principal } from "#domain/requests"
import { linkless } from "#server/lib/linkless.ts"
import { clock, toTimestamp } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import { permissionsOf, type Role } from "#shared/roles.ts"
import type { Permission } from "#shared/scopes.ts"
import { admittedBy, reviewers } from "./admission.ts"
import { createInvitation, endInvitationsOf } from "./invitations.ts"
import { type KnownKey, keysKnownTo } from "./known-keys.ts"
import { failMail, mailer } from "./mail.ts"
import { takeMail } from "./mail-limits.ts"
import { userIdOf } from "./membership.ts"
import { hasSecondFactor } from "./second-factor.ts"

type MemberChange = { principal: Principal; requestId: string }

export type Members = {
  members: {
    user_id: string
    name: string
    email: string
    role: Role
    /**
     * Whether another reviewer must confirm them before they decide (`admission.ts`). `yours`: the reader can confirm
     * them.
     */
    admission: "waits" | "yours" | null
    /** Whether they opened a link mailed to the address; null if this server cannot send mail. */
    email_confirmed: boolean | null
    /** Whether they have an authenticator app or a passkey. */
    second_factor: boolean
    joined_at: string
  }[]
  /** Unused links. */
  invitations: {
    id: string
    role: Role
    email: string | null
    invited_by: string | null
    expires_at: string
  }[]
}

/** The members of the workspace's account, and open invitations. */
export async function listMembers({ workspaceId, via }: Principal): Promise<Members> {
  const me = via.kind === "user" ? via.userId : null
  const mails = mailer(deployment.settings).send !== null
  const [members, invitations] = await Promise.all([
    sql<(Omit<Members["members"][number], "joined_at"> & { created_at: Date })[]>`
      select m.user_id, u.name, u.email, m.role, ${hasSecondFactor()} as second_factor, m.created_at,
        case when ${mails} then u.email_verified end as email_confirmed,
        case when a.four_eyes and m.admitted_by is not null then
          case when m.admitted_by <> r.user_id then 'yours' else 'waits' end end as admission
      from workspaces w join accounts a on a.id = w.account_id
      join members m on m.account_id = w.account_id join users u on u.id = m.user_id
      left join members r on r.account_id = w.account_id and r.user_id = ${me} and r.admitted_by is null
        and r.role = any(${reviewers})
      where w.id = ${workspaceId} order by m.created_at desc, m.user_id`,
    sql<{ id: string; role: Role; email: string | null; invited_by: string | null; expires_at: Date }[]>`
      select i.id, i.role, i.email, u.name as invited_by, i.expires_at
      from workspaces w join invitations i on i.account_id = w.account_id left join users u on u.id = i.invited_by
      where w.id = ${workspaceId} and i.used_at is null and i.expires_at > ${clock.now()}
        and exists (select from members m where m.account_id = i.account_id and m.user_id = i.invited_by and m.role = 'owner')
      order by i.created_at desc, i.id`,
  ])
  return {
    members: members.map(({ created_at, ...member }) => ({ ...member, joined_at: toTimestamp(created_at) })),
    invitations: invitations.map((one) => ({ ...one, expires_at: toTimestamp(one.expires_at) })),
  }
}

/**
 * Invites by mail if an address is given and mail is configured. Otherwise returns the link, for the inviter to pass
 * on. Errors: invitation_limit, second_person_required, rate_limited, mail_failed.
 */
export async function inviteMember({
  principal,
  requestId,
  role,
  email,
}: MemberChange & { role: Role; email: string | null }): Promise<{
  id: string
  link: string | null
  sent_to: string | null
}> {
  const { send } = mailer(deployment.settings)
  const account = await accountOf(sql, principal)
  const invitation = await sql.begin(async (sql) => {
    const invitedBy = principal.via.kind === "user" ? principal.via.userId : null
    const created = await createInvitation(sql, {
      accountId: account.id,
      role,
      email,
      invitedBy,
      mailed: send !== null && email !== null,
    })
    await admittedBy(sql, { accountId: account.id, by: invitedBy, role })
    if (send !== null && email !== null)
      await takeMail(sql, { to: email, accountId: account.id, reason: "sent by others" })
    await recordAccountChange(sql, account.id, {
      author: { principal, requestId },
      action: "member.invited",
      subject: created.id,
      detail: { role },
    })
    return created
  })
  if (send === null || email === null) return { ...invitation, sent_to: null }
  const name = linkless(account.name)
  const demand = account.second_factor_required
    ? `\n\n${name} requires a second factor: have an authenticator app or a passkey ready.`
    : ""
  const text = `You are invited to join ${name} on Vouch as ${role}. Open this link within seven days:\n\n${invitation.link}${demand}`
  try {
    await send({ to: email, subject: `Join ${name} on Vouch`, text })
  } catch (cause) {
    // No one has received its link.
    await revokeInvitation({ principal, requestId, id: invitation.id })
    failMail(email, cause, "Invite without an address to get a link.")
  }
  return { id: invitation.id, link: null, sent_to: email }
}

/** Revokes an unused link. */
export async function revokeInvitation({
  principal,
  requestId,
  id,
}: MemberChange & { id: string }): Promise<{ id: string }> {
  await sql.begin(async (sql) => {
    const account = await accountOf(sql, principal)
    const ended = await sql`
      update invitations set used_at = ${clock.now()} where account_id = ${account.id} and id = ${id} and used_at is null
      returning id`
    if (ended.length === 0) return
    await recordAccountChange(sql, account.id, {
      author: { principal, requestId },
      action: "member.invitation_revoked",
      subject: id,
    })
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
export async function changeRole({
  principal,
  requestId,
  userId,
  role,
}: MemberChange & { userId: string; role: Role }): Promise<{ user_id: string; role: Role } & Leftovers> {
  const leftovers = await sql.begin(async (sql): Promise<Leftovers> => {
    const { account, before } = await lockMember(sql, principal, userId)
    if (before === role) return { invitations_ended: 0, keys: [] }
    if (before === "owner") await requireOtherOwner(sql, account.id, userId)
    const by = userIdOf({ principal, requestId })
    const admitted_by = await admittedBy(sql, { accountId: account.id, by, role })
    await sql`
      update members set role = ${role},
        admitted_by = case when not role = any(${reviewers}) or ${!reviewers.includes(role)} then ${admitted_by}::text else admitted_by end
      where account_id = ${account.id} and user_id = ${userId}`
    const may = (permission: Permission) => permissionsOf(role).has(permission)
    const ended = may("member:write") ? 0 : await endInvitationsOf(sql, account.id, userId)
    await recordAccountChange(sql, account.id, {
      author: { principal, requestId },
      action: "member.role_changed",
      subject: userId,
      detail: { before, after: role, ...(ended > 0 && { invitations_ended: ended }) },
    })
    const keys = may("key:write") ? [] : await keysKnownTo(sql, account.id, userId)
    return { invitations_ended: ended, keys }
  })
  await publishAccessLoss(userId)
  return { user_id: userId, role, ...leftovers }
}

/**
 * Ends a membership and the member's invitations at once. The user stays, for other accounts.
 * Errors: member_not_found, last_owner.
 */
export async function removeMember({
  principal,
  requestId,
  userId,
}: MemberChange & { userId: string }): Promise<{ user_id: string } & Leftovers> {
  const leftovers = await sql.begin(async (sql): Promise<Leftovers> => {
    const { account, before } = await lockMember(sql, principal, userId)
    if (before === "owner") await requireOtherOwner(sql, account.id, userId)
    await sql`delete from members where account_id = ${account.id} and user_id = ${userId}`
    await sql`
      delete from saved_filters where user_id = ${userId}
        and workspace_id in (select id from workspaces where account_id = ${account.id})`
    const ended = await endInvitationsOf(sql, account.id, userId)
    await recordAccountChange(sql, account.id, {
      author: { principal, requestId },
      action: "member.removed",
      subject: userId,
      detail: { role: before, ...(ended > 0 && { invitations_ended: ended }) },
    })
    return { invitations_ended: ended, keys: await keysKnownTo(sql, account.id, userId) }
  })
  await publishAccessLoss(userId)
  return { user_id: userId, ...leftovers }
}

type AccountName = { id: string; name: string; second_factor_required: boolean }

async function accountOf(sql: Queryable, { workspaceId }: Principal): Promise<AccountName> {
  const [account] = await sql<AccountName[]>`
    select a.id, a.name, a.second_factor_required
    from workspaces w join accounts a on a.id = w.account_id where w.id = ${workspaceId}`
  return account!
}

/** Locks the account, so that two owners cannot remove each other at the same time. */
async function lockMember(sql: Queryable, { workspaceId }: Principal, userId: string) {
  const [account] = await sql<AccountName[]>`
    select a.id, a.name, a.second_factor_required from workspaces w join accounts a on a.id = w.account_id
    where w.id = ${workspaceId} for update of a`
  const [member] = await sql<{ role: Role }[]>`
    select role from members where account_id = ${account!.id} and user_id = ${userId}`
  if (!member) return fail("member_not_found", "user_id: not a member of this account. Reload the list of members.")
  return { account: account!, before: member.role }
}

async function requireOtherOwner(sql: Queryable, accountId: string, userId: string): Promise<void> {
  const [other] = await sql`
    select from members where account_id = ${accountId} and role = 'owner' and user_id <> ${userId} limit 1`
  if (!other) fail("last_owner", "user_id: this is the account's only owner. Make another member an owner first.")
}
