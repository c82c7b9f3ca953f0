import type { Queryable } from "#db/client.ts"
import type { Author } from "#domain/audit-log"
import { decidesTogether, provenMailbox, sameMailbox } from "#domain/people"
import { clock } from "#server/lib/time.ts"
import type { ApproverRole } from "#shared/approvals.ts"
import { fail } from "#shared/errors.ts"
import type { ApprovalRow } from "./approval.ts"
import type { Policy } from "./policy.ts"

/** Who made a request, and the members behind it. */
export type Requester = { kind: "key" | "user"; id: string; name: string; members: string[] }

/**
 * The members behind a request: the member, or those who could have sent it with the key, because they created it or
 * saw one of its secrets. None for a key of the command line.
 */
export async function requesterOf(
  sql: Queryable,
  workspaceId: string,
  { principal }: Pick<Author, "principal">,
): Promise<Requester> {
  if (!("via" in principal) || principal.via.kind === "system" || principal.via.kind === "operator")
    return fail("internal_error", "Only a member or a key can request an approval.")
  const { via } = principal
  if (via.kind === "user") return { kind: "user", id: via.userId, name: via.name, members: [via.userId] }
  const [key] = await sql<{ name: string; created_by: string | null; shown_to: string[] }[]>`
    select k.name, k.created_by, array(select distinct s.shown_to from key_secrets s
      where s.workspace_id = k.workspace_id and s.key_id = k.id and s.shown_to is not null) as shown_to
    from api_keys k where k.workspace_id = ${workspaceId} and k.id = ${via.keyId}`
  const members = new Set([...(key?.shown_to ?? []), ...(key?.created_by ? [key.created_by] : [])])
  return { kind: "key", id: via.keyId, name: key?.name ?? "unknown", members: [...members] }
}

/** What decides who can approve a request. */
export type Approvable = { workspace_id: string; roles: ApproverRole[]; requesters: string[]; created_at: Date }

/**
 * The members who can approve a request: those with one of its roles, other than the members behind it. Not a member
 * whose mailbox is unproven or is a requester's under another address, nor one whom a requester let in or promoted after
 * making the request. With `lock`, each keeps their membership and role until the transaction ends.
 */
export async function approversOf(
  sql: Queryable,
  { workspace_id, roles, requesters, created_at }: Approvable,
  { lock = false } = {},
): Promise<Set<string>> {
  const rows = await sql<{ user_id: string }[]>`
    select m.user_id from (select ${workspace_id} as workspace_id, ${roles}::text[] as roles,
      ${requesters}::text[] as requesters, ${created_at}::timestamptz as created_at) q ${withApprovers(sql)}
    ${lock ? sql`for share of m` : sql``}`
  return new Set(rows.map(({ user_id }) => user_id))
}

/**
 * The approvals of a request that count: those of members who can approve it now, and have neither left nor lost the role
 * since they did.
 */
export async function validApprovals(
  sql: Queryable,
  { workspace_id, roles, given }: Pick<ApprovalRow, "workspace_id" | "roles" | "given">,
  approvers: ReadonlySet<string>,
): Promise<ApprovalRow["given"]> {
  const kept = given.filter(({ id }) => approvers.has(id))
  if (kept.length === 0) return []
  const lost = await sql<{ id: string; at: Date }[]>`
    select e.subject as id, max(e.at) as at from workspaces w join audit_entries e on e.account_id = w.account_id
    where w.id = ${workspace_id} and e.subject = any(${kept.map(({ id }) => id)}) and (e.action = 'member.removed'
      or e.action = 'member.role_changed' and not e.detail ->> 'after' = any(${roles}))
    group by e.subject`
  const lostAt = new Map(lost.map(({ id, at }) => [id, at]))
  return kept.filter(({ id, at }) => (lostAt.get(id) ?? new Date(0)) < new Date(at))
}

/** Why too few members can approve a request that a policy binds; null if enough can. */
export async function missingApprovers(
  sql: Queryable,
  workspaceId: string,
  { members }: Requester,
  { approvals, roles }: Pick<Policy, "approvals" | "roles">,
): Promise<string | null> {
  const about = { workspace_id: workspaceId, roles, requesters: members, created_at: clock.now() }
  const { size } = await approversOf(sql, about)
  if (size >= approvals) return null
  return `This needs the approval of ${approvals} other ${approvals === 1 ? "member" : "members"} (${roles.join(" or ")}), and only ${size} can give it. Invite another member first.`
}

/** Joins each request `q` with the members `m` who can approve it, and ends in a `where` that can go on. */
export const withApprovers = (sql: Queryable) => sql`
  join workspaces w on w.id = q.workspace_id join accounts a on a.id = w.account_id
  join members m on m.account_id = a.id join users u on u.id = m.user_id
  where m.role = any(q.roles) and not m.user_id = any(q.requesters)
    and not (m.admitted_by is not null and ${decidesTogether(sql)}) and ${provenMailbox(sql)}
    and not exists (select from users r where r.id = any(q.requesters) and ${sameMailbox(sql, "u", "r")})
    and not exists (select from invitations i where i.account_id = m.account_id and i.used_at = m.created_at
      and i.invited_by = any(q.requesters) and i.created_at >= q.created_at)
    and not exists (select from audit_entries e where e.account_id = m.account_id and e.at >= q.created_at
      and e.action = 'member.role_changed' and e.subject = m.user_id and e.actor_id = any(q.requesters))`
