import type { Queryable } from "#db/client.ts"

/** How long before a session's end Vouch asks its vendor, so that the answer arrives before anyone reads `expired`. */
const LEAD_SECONDS = 60
/** How long a session stays open past its time if its vendor cannot be reached. */
const GRACE_SECONDS = 86_400
/** The most sessions of a workspace in one batch. */
const BATCH = 200

/** Whether to ask the vendor of pending session `a` once more before it ends. A held approval is already its answer. */
export const isUnasked = (sql: Queryable) => sql`
  (a.provider_reference is not null and a.held_at is null and not a.closing)`

/** Whether session `a` has ended or is about to. */
export const isClosing = (sql: Queryable, now: Date) => sql`
  a.open_until <= ${now}::timestamptz + make_interval(secs => ${LEAD_SECONDS})`

/**
 * Marks sessions whose time is over, so that their vendors are asked before they close. `ask-providers.ts` asks, and
 * removes the extra time again. Returns how many it marked.
 */
export async function askBeforeClosing(sql: Queryable, workspaceId: string, now: Date): Promise<number> {
  const rows = await sql<{ id: string }[]>`
    update attestations a set closing = true, asks = 0, ask_at = ${now},
      open_until = greatest(a.open_until, ${now}) + make_interval(secs => ${GRACE_SECONDS})
    from (
      select a.id from attestations a
      where a.workspace_id = ${workspaceId} and a.status = 'pending' and ${isUnasked(sql)}
        and ${isClosing(sql, now)}
      limit ${BATCH} for update skip locked
    ) due
    where a.workspace_id = ${workspaceId} and a.id = due.id and a.status = 'pending'
    returning a.id`
  return rows.length
}

/** Removes the extra time if the vendor answered without a decision. The session then ends when it would have. */
export const closeAsked = (sql: Queryable, workspaceId: string, attestationId: string, now: Date) => sql`
  update attestations a set open_until = open_until - make_interval(secs => ${GRACE_SECONDS})
  where workspace_id = ${workspaceId} and id = ${attestationId} and status = 'pending' and closing
    and not ${isClosing(sql, now)}`
