import type { Queryable } from "#db/client.ts"
import { deployment } from "#server/deployment.ts"
import { fail } from "#server/errors.ts"
import { newId } from "#server/ids.ts"
import { addDays, clock } from "#server/time.ts"
import type { Role } from "./roles.ts"
import { hashToken, newToken } from "./token.ts"

const VALID_DAYS = 7

export type Invitation = {
  id: string
  account_id: string
  account: string
  role: Role
  email: string | null
  invited_by: string | null
}

/** Makes a link that makes its bearer a member, once. Without an inviter it is the first owner's. */
export async function createInvitation(
  sql: Queryable,
  invitation: { accountId: string; role: Role; email: string | null; invitedBy: string | null },
): Promise<{ id: string; link: string }> {
  const id = newId("evt")
  const token = newToken()
  const now = clock.now()
  await sql`
    insert into invitations (account_id, id, token_hash, role, email, invited_by, created_at, expires_at)
    values (${invitation.accountId}, ${id}, ${hashToken(token)}, ${invitation.role}, ${invitation.email},
      ${invitation.invitedBy}, ${now}, ${addDays(now, VALID_DAYS)})`
  const page = invitation.invitedBy === null ? "setup" : "join"
  return { id, link: `${deployment.origin}/${page}?token=${token}` }
}

/**
 * The invitation of a link that still works. A first owner's does not once the account has a member: whoever holds
 * an older one must not come in by it. Errors: invalid_link.
 */
export async function findInvitation(
  sql: Queryable,
  token: string,
  { lock = false }: { lock?: boolean } = {},
): Promise<Invitation> {
  const [row] = await sql<Invitation[]>`
    select i.id, i.account_id, a.name as account, i.role, i.email, i.invited_by
    from invitations i join accounts a on a.id = i.account_id
    where i.token_hash = ${hashToken(token)} and i.used_at is null and i.expires_at > ${clock.now()}
      and (i.invited_by is not null or not exists (select from members m where m.account_id = i.account_id))
    ${lock ? sql`for update of i, a` : sql``}`
  return (
    row ??
    fail(
      "invalid_link",
      "This link was used before, or its time is over. Ask whoever gave it to you for another.",
    )
  )
}
