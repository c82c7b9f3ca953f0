import { type Queryable, sql } from "#db/client.ts"
import { recordAccountChange } from "#domain/audit-log"
import type { Role } from "#shared/roles.ts"
import { endInvitationsOf } from "./invitations.ts"

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
