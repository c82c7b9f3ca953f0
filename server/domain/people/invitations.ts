import { type Queryable, sql } from "#db/client.ts"
import { only } from "#db/rows.ts"
import { deployment } from "#domain/deployment"
import { newId } from "#server/lib/ids.ts"
import { linkless } from "#server/lib/linkless.ts"
import { addDays, clock } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import type { Role } from "#shared/roles.ts"
import { hashToken, newToken } from "./links.ts"
import { mailer, requireMailer, sendOrUndo, takeMail } from "./mail.ts"

/** The most open invitations of an account. */
const MOST_OPEN = 100
const VALID_DAYS = 7
/** Minimum time between two mails of one invitation, to any address. */
const MAIL_PAUSE = "1 minute"

export type Invitation = {
  id: string
  account_id: string
  account: string
  role: Role
  /** The invited address; null lets anyone with the link choose. */
  email: string | null
  invited_by: string | null
  /** Whether the link was mailed to `email`, which proves the mailbox. A link passed on by hand proves nothing. */
  proves_email: boolean
  /** Whether the account requires one of its members. */
  second_factor_required: boolean
}

/** Creates a link that makes one bearer a member: the first owner if no one invites. Errors: invitation_limit. */
export async function createInvitation(
  sql: Queryable,
  invitation: {
    accountId: string
    role: Role
    email: string | null
    invitedBy: string | null
    /** Whether the caller mails the link to `email` and shows it to no one else. */
    mailed?: boolean
  },
): Promise<{ id: string; link: string }> {
  const id = newId("evt")
  const token = newToken()
  const now = clock.now()
  if (invitation.invitedBy !== null) await requireFewOpen(sql, invitation.accountId)
  await sql`
    insert into invitations (account_id, id, token_hash, role, email, mailed, invited_by, created_at, expires_at)
    values (${invitation.accountId}, ${id}, ${hashToken(token)}, ${invitation.role}, ${invitation.email},
      ${invitation.mailed ?? false}, ${invitation.invitedBy}, ${now}, ${addDays(now, VALID_DAYS)})`
  return { id, link: linkOf(invitation.invitedBy, token) }
}

/** Errors: invitation_limit. */
async function requireFewOpen(sql: Queryable, accountId: string): Promise<void> {
  // Locks the account, so that two requests cannot pass the limit together.
  await sql`select from accounts where id = ${accountId} for no key update`
  const { count } = only(
    await sql<{ count: bigint }[]>`
      select count(*) from invitations
      where account_id = ${accountId} and used_at is null and expires_at > ${clock.now()}`,
  )
  if (count >= MOST_OPEN)
    fail(
      "invitation_limit",
      `This account has ${count} open invitations. The limit is ${MOST_OPEN}. Revoke one, or wait until one is used or expires.`,
    )
}

const linkOf = (invitedBy: string | null, token: string) =>
  `${deployment.origin}/${invitedBy === null ? "setup" : "join"}?token=${token}`

/**
 * The invitation of a valid link. It is valid while its inviter is an owner, and a first owner's while there is no
 * owner. Errors: invalid_link.
 */
export async function findInvitation(
  sql: Queryable,
  token: string,
  { lock = false }: { lock?: boolean } = {},
): Promise<Invitation> {
  const hash = hashToken(token)
  const [row] = await sql<Invitation[]>`
    select i.id, i.account_id, a.name as account, a.second_factor_required, i.role, i.invited_by,
      case when i.proof_hash = ${hash} then i.proof_email else i.email end as email,
      (i.mailed or i.proof_hash is not distinct from ${hash}) as proves_email
    from invitations i join accounts a on a.id = i.account_id
    where (i.token_hash = ${hash} or i.proof_hash = ${hash}) and i.used_at is null and i.expires_at > ${clock.now()}
      and exists (select from members m where m.account_id = i.account_id and m.role = 'owner'
        and (i.invited_by is null or m.user_id = i.invited_by)) = (i.invited_by is not null)
    ${lock ? sql`for update of i for no key update of a` : sql``}`
  return (
    row ??
    fail(
      "invalid_link",
      "This link was already used, has expired or was revoked. Ask the person who sent it for a new one.",
    )
  )
}

/**
 * Mails a second link to the address that the bearer of the first one enters. They join with the second link, because
 * it proves that the mailbox is theirs. Errors: invalid_link, validation_failed, rate_limited, mail_failed.
 */
export async function mailInvitation(token: string, email: string): Promise<{ sent_to: string }> {
  const send = requireMailer()
  const invitation = await findInvitation(sql, token)
  requireAddress(invitation, email)
  const proof = newToken()
  const { account_id, id } = invitation
  await sql.begin(async (sql) => {
    const noted = await sql`
      update invitations set proof_hash = ${hashToken(proof)}, proof_email = ${email}, proof_sent_at = now()
      where account_id = ${account_id} and id = ${id} and used_at is null
        and (proof_sent_at is null or proof_sent_at <= now() - ${MAIL_PAUSE}::interval)
      returning id`
    if (noted.length === 0)
      fail("rate_limited", "We just sent a link. Wait a minute before you request another one.", {
        retryAfterSeconds: 60,
      })
    await takeMail(sql, { to: email, accountId: account_id, reason: "sent by others" })
  })
  const account = linkless(invitation.account)
  const text = `Open this link to join ${account} on Vouch with this address:\n\n${linkOf(invitation.invited_by, proof)}\n\nDid not request this? Ignore this email. Your address is not used.`
  const undo = () => sql`
    update invitations set proof_hash = null, proof_email = null, proof_sent_at = null
    where account_id = ${account_id} and id = ${id} and proof_hash = ${hashToken(proof)}`
  const mail = { to: email, subject: `Join ${account} on Vouch`, text }
  await sendOrUndo(send, mail, { undo, next: "Try again, or ask your administrator." })
  return { sent_to: email }
}

/** Errors: validation_failed. */
export function requireAddress({ email }: Invitation, given: string): void {
  if (email !== null && email !== given) fail("validation_failed", `email: this link is for ${email}.`)
}

/** Whether the bearer must open a mailed link first. Always the case if the server can send mail. */
export const needsMail = ({ proves_email }: Invitation): boolean => !proves_email && mailer().send !== null

/** Revokes a user's unused invitations to an account. Returns how many. */
export async function endInvitationsOf(sql: Queryable, accountId: string, userId: string): Promise<number> {
  const ended = await sql`
    update invitations set used_at = ${clock.now()}
    where account_id = ${accountId} and invited_by = ${userId} and used_at is null and expires_at > ${clock.now()}`
  return ended.count
}
