import { sql } from "#db/client.ts"
import { only } from "#db/rows.ts"
import { mailer } from "#domain/people"
import { type NotificationKind, notificationsOf } from "#shared/notifications.ts"
import type { Role } from "#shared/roles.ts"

type Member = { workspaceId: string; via: { userId: string } }

/** The mails that a member gets. */
export async function readNotificationSettings({ workspaceId, via: { userId } }: Member) {
  type Row = { account: string; role: Role; muted: NotificationKind[]; email_verified: boolean }
  const rows = await sql<Row[]>`
    select a.name as account, m.role, m.muted_notifications as muted, u.email_verified
    from workspaces w join accounts a on a.id = w.account_id
    join members m on m.account_id = w.account_id and m.user_id = ${userId} join users u on u.id = m.user_id
    where w.id = ${workspaceId}`
  const { account, role, muted, email_verified } = only(rows)
  return {
    /** The name of the account whose workspaces the mails are about. */
    account,
    /** The kinds of mail that the member's role gets. */
    kinds: notificationsOf(role).map((kind) => ({ kind, on: !muted.includes(kind) })),
    /** Whether the member's address is confirmed: others get no mail. Null if this server sends no mail. */
    email_confirmed: mailer().send && email_verified,
  }
}
export type NotificationSettings = Awaited<ReturnType<typeof readNotificationSettings>>

/** Switches a member's unwanted mails off, and the others on. Kinds that their role does not get stay unchanged. */
export async function muteNotifications(
  member: Member & { via: { role: Role } },
  muted: readonly NotificationKind[],
): Promise<NotificationSettings> {
  const { workspaceId, via } = member
  const own = notificationsOf(via.role)
  await sql`
    update members m set muted_notifications =
      array(select kind from unnest(m.muted_notifications) kind where not kind = any(${own}))
      || ${muted.filter((kind) => own.includes(kind))}::text[]
    from workspaces w where w.id = ${workspaceId} and m.account_id = w.account_id and m.user_id = ${via.userId}`
  return readNotificationSettings(member)
}
