import { sql } from "#db/client.ts"
import { columns, qualified, type RowOf } from "#db/rows.ts"
import { clock, toTimestamp } from "#server/lib/time.ts"
import type { Mode } from "#shared/mode.ts"
import type { Scope } from "#shared/scopes.ts"
import type { KeyStatus } from "#shared/statuses.ts"

export type KeySummary = {
  key_id: string
  account: string
  mode: Mode
  name: string
  /** The first characters of the newest secret. */
  start: string
  scopes: Scope[]
  status: KeyStatus
  expires_at: string | null
  last_used_at: string | null
  created_at: string
  /** The key's creator, from the audit log; null if the entry is gone. */
  created_by: string | null
  /** A former key manager who saw an active secret of the key. */
  known_to: string | null
}

const keyColumns = columns("api_keys", "id, name, scopes, expires_at, revoked_at, last_used_at, created_at")
type ListedRow = RowOf<typeof keyColumns> & Pick<KeySummary, "account" | "mode" | "start" | "created_by" | "known_to">

/** Keys without their secrets, newest first: of one workspace, of one account by its name, or all keys. */
export async function listKeys({
  workspaceId = null,
  account = null,
}: {
  workspaceId?: string | null
  account?: string | null
} = {}): Promise<KeySummary[]> {
  const now = clock.now()
  const rows = await sql<ListedRow[]>`
    select ${sql(qualified("k", keyColumns))}, a.name as account, w.mode,
      (select start from key_secrets s where s.workspace_id = k.workspace_id and s.key_id = k.id
       order by s.created_at desc limit 1) as start,
      c.actor_name as created_by,
      (select coalesce(u.name, 'a former member') from key_secrets s
       left join users u on u.id = s.shown_to
       left join members m on m.account_id = a.id and m.user_id = s.shown_to and m.role <> 'viewer'
       where s.workspace_id = k.workspace_id and s.key_id = k.id and s.shown_to is not null and m.user_id is null
         and k.revoked_at is null and (k.expires_at is null or k.expires_at > ${now})
         and (s.valid_until is null or s.valid_until > ${now}) limit 1) as known_to
    from api_keys k
    join workspaces w on w.id = k.workspace_id
    join accounts a on a.id = w.account_id
    left join audit_entries c on c.account_id = a.id and c.action = 'key.created' and c.subject = k.id
    where true
      ${workspaceId === null ? sql`` : sql`and k.workspace_id = ${workspaceId}`}
      ${account === null ? sql`` : sql`and a.name = ${account}`}
    order by k.created_at desc, k.id`
  return rows.map((row) => ({
    key_id: row.id,
    account: row.account,
    mode: row.mode,
    name: row.name,
    start: row.start,
    scopes: row.scopes,
    status: row.revoked_at ? "revoked" : row.expires_at && row.expires_at <= now ? "expired" : "active",
    expires_at: row.expires_at && toTimestamp(row.expires_at),
    last_used_at: row.last_used_at && toTimestamp(row.last_used_at),
    created_at: toTimestamp(row.created_at),
    created_by: row.created_by,
    known_to: row.known_to,
  }))
}
