import { sql } from "#db/client.ts"
import { columns, only, qualified, type RowOf, type Timestamped, timestamped } from "#db/rows.ts"
import type { Principal } from "#domain/requests"
import { clock } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import type { Mode } from "#shared/mode.ts"
import type { KeyStatus } from "#shared/statuses.ts"

const keyColumns = columns("api_keys", "name, scopes, expires_at, created_at")
type Key = RowOf<typeof keyColumns> & { key_id: string; account: string; mode: Mode }

/** The key that makes the request. Errors: missing_api_key, for a signed-in member. */
export async function describeKey({ workspaceId, via }: Principal) {
  if (via.kind !== "key") return fail("missing_api_key", "Only an API key can use this request.")
  const rows = await sql<(Key & { workspace_id: string })[]>`
    select k.id as key_id, w.id as workspace_id, w.mode, a.name as account, ${sql(qualified("k", keyColumns))}
    from api_keys k join workspaces w on w.id = k.workspace_id join accounts a on a.id = w.account_id
    where k.workspace_id = ${workspaceId} and k.id = ${via.keyId}`
  return timestamped(only(rows))
}

type ListedKey = Key & {
  /** The first characters of the newest secret. */
  start: string
  status: KeyStatus
  last_used_at: Date | null
  /** The creator's name, or the one in the audit log if it was no user or the user is gone. */
  created_by: string | null
  /** Until when an earlier secret still works, after a rotation. */
  old_secret_until: Date | null
  /** A former key manager who saw an active secret of the key. */
  known_to: string | null
}

/** Keys without their secrets, newest first: of one workspace, of one account by its name, or all keys. */
export async function listKeys({
  workspaceId = null,
  account = null,
}: {
  workspaceId?: string | null
  account?: string | null
} = {}): Promise<Timestamped<ListedKey>[]> {
  const now = clock.now()
  const rows = await sql<ListedKey[]>`
    select k.id as key_id, a.name as account, w.mode, ${sql(qualified("k", keyColumns))}, k.last_used_at,
      case when k.revoked_at is not null then 'revoked' when k.expires_at <= ${now} then 'expired' else 'active' end as status,
      (select start from key_secrets s where s.workspace_id = k.workspace_id and s.key_id = k.id
       order by s.created_at desc limit 1) as start,
      (select least(max(valid_until), k.expires_at) from key_secrets s
       where s.workspace_id = k.workspace_id and s.key_id = k.id and s.valid_until > ${now}
         and k.revoked_at is null and (k.expires_at is null or k.expires_at > ${now})
       having count(*) > 0) as old_secret_until,
      coalesce((select u.name from users u where u.id = k.created_by), c.actor_name) as created_by,
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
  return rows.map(timestamped)
}
