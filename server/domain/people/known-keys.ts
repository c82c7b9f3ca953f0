import type { Queryable } from "#db/client.ts"
import { clock } from "#server/lib/time.ts"
import type { Mode } from "#shared/mode.ts"

/** An active key whose secret a member saw when they created or rotated it. */
export type KnownKey = { key_id: string; workspace_id: string; mode: Mode; name: string; start: string }

/** The active keys of both workspaces of an account that a person knows, newest first. */
export const keysKnownTo = (sql: Queryable, accountId: string, userId: string): Promise<KnownKey[]> => {
  const now = clock.now()
  return sql<KnownKey[]>`
    select distinct on (k.created_at, k.id) k.id as key_id, w.id as workspace_id, w.mode, k.name, s.start
    from workspaces w join api_keys k on k.workspace_id = w.id
    join key_secrets s on s.workspace_id = k.workspace_id and s.key_id = k.id
    where w.account_id = ${accountId} and s.shown_to = ${userId} and k.revoked_at is null
      and (k.expires_at is null or k.expires_at > ${now}) and (s.valid_until is null or s.valid_until > ${now})
    order by k.created_at desc, k.id, s.created_at desc`
}
