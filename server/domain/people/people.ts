import { type Queryable, sql } from "#db/client.ts"
import { recordAccountChange } from "#domain/audit-log"
import type { Role } from "#shared/roles.ts"
import { endInvitationsOf } from "./invitations.ts"

type Person = {
  email: string
  name: string
  /** Whether they opened a link mailed to the address. */
  confirmed: boolean
  second_factor: boolean
  memberships: { account: string; role: Role }[]
}

/** Everyone who can sign in, oldest first. */
export const listUsers = (): Promise<Person[]> => sql<Person[]>`
  select u.email, u.name, u.email_verified as confirmed, u.two_factor_enabled as second_factor,
    coalesce(jsonb_agg(jsonb_build_object('account', a.name, 'role', m.role) order by a.name)
      filter (where a.id is not null), '[]') as memberships
  from users u left join members m on m.user_id = u.id left join accounts a on a.id = m.account_id
  group by u.id order by u.created_at desc, u.id`

/** Turns off a user's second factor, including backup codes. Passkeys stay, because they need no second factor. */
export async function removeSecondFactor(email: string): Promise<void> {
  await sql.begin(async (sql) => {
    await sql`delete from user_two_factors f using users u where u.id = f.user_id and u.email = ${email}`
    await sql`update users set two_factor_enabled = false where email = ${email}`
  })
}

/**
 * Removes the user who registered an address and never confirmed it, with their credentials, memberships and
 * invitations. Nothing passes to the address's owner. False if the address is free or confirmed.
 */
export async function evictUnproven(sql: Queryable, email: string, requestId: string | null): Promise<boolean> {
  const [user] = await sql<{ id: string; name: string }[]>`
    select id, name from users where email = ${email} and not email_verified for update`
  if (!user) return false
  const memberships = await sql<{ account_id: string; role: Role }[]>`
    delete from members where user_id = ${user.id} returning account_id, role`
  for (const { account_id, role } of memberships) {
    await recordAccountChange(sql, account_id, {
      // The account's members did not do this, and must not learn who claimed the address.
      author: { principal: { ...user, email, sessionId: "" }, requestId },
      action: "member.removed",
      subject: user.id,
      detail: {
        role,
        reason: "the address was never confirmed and its owner claimed it",
        invitations_ended: await endInvitationsOf(sql, account_id, user.id),
      },
    })
  }
  await sql`update invitations set used_at = now() where invited_by = ${user.id} and used_at is null`
  await sql`delete from users where id = ${user.id}`
  return true
}

/** Releases an address from the command line, where no mailed link proves who owns it. */
export const releaseAddress = (email: string): Promise<boolean> =>
  sql.begin((sql) => evictUnproven(sql, email.toLowerCase(), null))
