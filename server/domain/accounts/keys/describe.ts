import { sql } from "#db/client.ts"
import { columns, only, qualified, type RowOf } from "#db/rows.ts"
import type { Principal } from "#domain/requests"
import { toTimestamp } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import type { Mode } from "#shared/mode.ts"
import type { Scope } from "#shared/scopes.ts"

const keyColumns = columns("api_keys", "id, name, scopes, expires_at, created_at")

export type KeyDescription = {
  key_id: string
  name: string
  account: string
  workspace_id: string
  mode: Mode
  scopes: Scope[]
  expires_at: string | null
  created_at: string
}

/** The key that makes the request. Errors: missing_api_key, for a signed-in member. */
export async function describeKey({ workspaceId, mode, via }: Principal): Promise<KeyDescription> {
  if (via.kind !== "key") return fail("missing_api_key", "Only an API key can use this request.")
  const rows = await sql<(RowOf<typeof keyColumns> & { account: string })[]>`
    select ${sql(qualified("k", keyColumns))}, a.name as account
    from api_keys k join workspaces w on w.id = k.workspace_id join accounts a on a.id = w.account_id
    where k.workspace_id = ${workspaceId} and k.id = ${via.keyId}`
  const { id, name, account, scopes, expires_at, created_at } = only(rows)
  return {
    key_id: id,
    name,
    account,
    workspace_id: workspaceId,
    mode,
    scopes,
    expires_at: expires_at && toTimestamp(expires_at),
    created_at: toTimestamp(created_at),
  }
}
