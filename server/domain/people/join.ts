import { isUniqueViolation, type Queryable, sql } from "#db/client.ts"
import { recordAccountChange } from "#domain/audit-log"
import type { SignedIn } from "#domain/requests"
import { clock } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import { admittedBy } from "./admission.ts"
import { findInvitation, type Invitation, needsMail, requireAddress } from "./invitations.ts"
import { newToken } from "./links.ts"
import { hashPassword } from "./password.ts"
import { evictUnproven } from "./people.ts"

export type NewUser = {
  token: string
  name: string
  email: string
  password: string
  /** Whether to remove the user who registered the address and never confirmed it. */
  takeOver?: boolean
  requestId: string
}

/**
 * Creates a user from a link and makes them a member of its account, in one commit. Errors: invalid_link,
 * email_unconfirmed, email_taken, second_person_required.
 */
export async function createUser({
  token,
  name,
  email,
  password,
  takeOver = false,
  requestId,
}: NewUser): Promise<{ email: string }> {
  await findInvitation(sql, token)
  const hash = await hashPassword(password)
  const user = { id: newToken(), name, email: email.toLowerCase() }
  const now = clock.now()
  try {
    await sql.begin(async (sql) => {
      const invitation = await findInvitation(sql, token, { lock: true })
      requireAddress(invitation, user.email)
      if (needsMail(invitation)) {
        fail("email_unconfirmed", "email: request a link by email first, then open it.")
      }
      const holder = await holderOf(sql, invitation)
      if (holder === "unconfirmed" && !takeOver) {
        fail(
          "email_taken",
          "take_over: someone registered this address and never confirmed it. If it was you, sign in. If not, choose to remove that user.",
        )
      }
      if (holder === "unconfirmed") await evictUnproven(sql, user.email, requestId)
      await sql`
        insert into users (id, name, email, email_verified, created_at, updated_at)
        values (${user.id}, ${name}, ${user.email}, ${invitation.proves_email}, ${now}, ${now})`
      await sql`
        insert into user_credentials (id, account_id, provider_id, user_id, password, created_at, updated_at)
        values (${newToken()}, ${user.id}, 'credential', ${user.id}, ${hash}, ${now}, ${now})`
      await enter(sql, invitation, { ...user, sessionId: "" }, requestId)
    })
  } catch (error) {
    if (!isUniqueViolation(error, "users_email_unique")) throw error
    fail(
      "email_taken",
      "email: already in use. If it is yours, sign in and open the link again. If not, ask this server's operator to release it.",
    )
  }
  return { email: user.email }
}

/**
 * The state of the address that a link proves: `taken` by a user who confirmed it, `unconfirmed` if a user registered
 * it and never confirmed it, or `free`. Always `free` for a link that proves nothing.
 */
export async function holderOf(
  sql: Queryable,
  { email, proves_email }: Invitation,
): Promise<"free" | "taken" | "unconfirmed"> {
  if (!proves_email || email === null) return "free"
  const [holder] = await sql<{ email_verified: boolean }[]>`
    select email_verified from users where email = ${email}`
  if (!holder) return "free"
  return holder.email_verified ? "taken" : "unconfirmed"
}

/** Makes the signed-in user a member by a link. Errors: invalid_link, email_unconfirmed, second_person_required. */
export async function join(token: string, user: SignedIn, requestId: string): Promise<{ workspace: string }> {
  const accountId = await sql.begin(async (sql) => {
    const invitation = await findInvitation(sql, token, { lock: true })
    if (invitation.email !== null && invitation.email !== user.email) {
      fail("invalid_link", `This link is for ${invitation.email}. Sign in as that person.`)
    }
    const [person] = await sql<{ email_verified: boolean }[]>`
      select email_verified from users where id = ${user.id} for update`
    if (!person) fail("not_signed_in", "Sign in first.")
    if (needsMail(invitation) && !person?.email_verified) {
      fail("email_unconfirmed", `Confirm ${user.email} first, in Settings, Your account.`)
    }
    if (invitation.proves_email) await sql`update users set email_verified = true where id = ${user.id}`
    await enter(sql, invitation, user, requestId)
    return invitation.account_id
  })
  const [test] = await sql<{ id: string }[]>`
    select id from workspaces where account_id = ${accountId} and mode = 'test'`
  return { workspace: test!.id }
}

async function enter(sql: Queryable, invitation: Invitation, user: SignedIn, requestId: string): Promise<void> {
  const now = clock.now()
  const { account_id: accountId, id, invited_by: by, role } = invitation
  await sql`update invitations set used_at = ${now} where account_id = ${accountId} and id = ${id}`
  const admitted_by = await admittedBy(sql, { accountId, by, role })
  const joined = await sql`
    insert into members (account_id, user_id, role, admitted_by, created_at)
    values (${accountId}, ${user.id}, ${role}, ${admitted_by}, ${now})
    on conflict do nothing returning user_id`
  // An existing member keeps their role, but the link is still used up.
  if (joined.length === 0) return
  const author = { principal: user, requestId }
  const detail = { name: user.name, role }
  await recordAccountChange(sql, accountId, { author, action: "member.joined", subject: user.id, detail })
}
