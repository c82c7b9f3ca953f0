import type { Queryable } from "#db/client.ts"
import type { Principal, SignedIn } from "#domain/requests"
import { clock } from "#server/lib/time.ts"
import type { AuditActor } from "#shared/statuses.ts"
import type { AuditAction } from "./actions.ts"
import { countChanges } from "./daily-limit.ts"

type System = { via: { kind: "system" } }

/** The actor of a change. `requestId` is null at the command line. */
export type Author = { principal: Pick<Principal, "via"> | SignedIn | System; requestId: string | null }

/** The operator: the command line and the first start. */
export const theOperator: Author = { principal: { via: { kind: "operator" } }, requestId: null }

/** Vouch itself, for changes caused by a provider's event, a list or the time. */
export const vouch: Author = { principal: { via: { kind: "system" } }, requestId: null }

export type Change = {
  author: Author
  /** Such as `key.created`: the object, and what happened to it. */
  action: AuditAction
  /** Id of the changed object. */
  subject: string
  /** Further details; no secret and nothing personal. */
  detail?: Record<string, unknown>
}

/**
 * Writes a line of the audit log. Call it in the transaction of the change, after its other locks: it counts a key's
 * changes, which locks the workspace's counter until the commit. Errors: rate_limited.
 */
export const recordChange = (sql: Queryable, workspaceId: string, change: Change): Promise<void> =>
  recordChanges(sql, workspaceId, [change])

/** The same for several changes of one transaction, in order and in one statement. */
export async function recordChanges(sql: Queryable, workspaceId: string, changes: readonly Change[]): Promise<void> {
  const rows = changes.map(({ author, action, subject, detail = {} }) => {
    const { actor, id, name, requestId } = actorOf(author)
    return { actor, actor_id: id, actor_name: name, action, subject, detail, request_id: requestId }
  })
  await countChanges(sql, workspaceId, rows)
  await sql`
    insert into audit_entries
      (account_id, workspace_id, at, actor, actor_id, actor_name, action, subject, detail, request_id)
    select w.account_id, w.id, ${clock.now()}, t.actor, t.actor_id, coalesce(t.actor_name, k.name, 'unknown'), t.action,
      t.subject, t.detail, t.request_id
    from workspaces w
    cross join rows from (jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as (actor text, actor_id text, actor_name text,
      action text, subject text, detail jsonb, request_id text)) with ordinality as t(actor, actor_id, actor_name, action,
      subject, detail, request_id, place)
    left join api_keys k on k.workspace_id = w.id and k.id = t.actor_id
    where w.id = ${workspaceId} order by t.place`
}

/** The same for an account as a whole, such as its members or plan. */
export async function recordAccountChange(sql: Queryable, accountId: string, change: Change): Promise<void> {
  const { actor, id, name, requestId } = actorOf(change.author)
  await sql`
    insert into audit_entries (account_id, at, actor, actor_id, actor_name, action, subject, detail, request_id)
    values (${accountId}, ${clock.now()}, ${actor}, ${id}, ${name ?? "unknown"}, ${change.action}, ${change.subject},
      ${sql.json((change.detail ?? {}) as never)}, ${requestId})`
}

type Actor = {
  actor: AuditActor
  id: string | null
  name: string | null
  requestId: string | null
}

/** How a row names an author. The name is null for a key. */
export function actorOf({ principal, requestId }: Author): Actor {
  if (!("via" in principal)) return { actor: "user", id: principal.id, name: principal.name, requestId }
  const { via } = principal
  if (via.kind === "operator") return { actor: "operator", id: null, name: "Command line", requestId }
  if (via.kind === "system") return { actor: "system", id: null, name: "Vouch", requestId }
  // Looks up a key's name when it writes the line.
  return via.kind === "key"
    ? { actor: "key", id: via.keyId, name: null, requestId }
    : { actor: "user", id: via.userId, name: via.name, requestId }
}
