import { type Queryable, sql } from "#db/client.ts"
import { only } from "#db/rows.ts"
import { type Author, recordChange, theOperator } from "#domain/audit-log"
import { deployment } from "#domain/deployment"
import { holdPermission, userIdOf } from "#domain/people"
import { newId } from "#server/lib/ids.ts"
import { clock, toTimestamp } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import type { Mode } from "#shared/mode.ts"
import type { Scope } from "#shared/scopes.ts"
import { hashApiKey, newApiKey, startOfApiKey } from "./secret.ts"

export type NewKey = { apiKey: string; keyId: string }

/** Creates a key of a workspace. Only this response contains the secret. Errors: api_key_limit. */
export async function createKey({
  workspaceId,
  mode,
  name,
  scopes,
  expiresAt = null,
  author = theOperator,
  keyId = newId("key"),
  within = sql,
}: {
  workspaceId: string
  mode: Mode
  name: string
  scopes: Scope[]
  expiresAt?: Date | null
  author?: Author
  keyId?: string
  /** The transaction to run in, if any. */
  within?: Queryable
}): Promise<NewKey> {
  const key: NewKey = { apiKey: newApiKey(mode), keyId }
  const create = async (sql: Queryable) => {
    await holdPermission(sql, workspaceId, author, "key:write")
    if (author !== theOperator) await requireBelowLimit(sql, workspaceId)
    await sql`
      insert into api_keys (workspace_id, id, name, scopes, expires_at, created_at, created_by)
      values (${workspaceId}, ${key.keyId}, ${name}, ${scopes}, ${expiresAt}, ${clock.now()}, ${userIdOf(author)})`
    await addSecret(sql, { workspaceId, keyId: key.keyId, apiKey: key.apiKey, author })
    const detail = { name, scopes, expires_at: expiresAt && toTimestamp(expiresAt) }
    await recordChange(sql, workspaceId, { author, action: "key.created", subject: key.keyId, detail })
  }
  if (within === sql) await sql.begin(create)
  else await create(within)
  return key
}

/** Errors: api_key_limit. */
export async function requireBelowLimit(sql: Queryable, workspaceId: string): Promise<void> {
  const most = deployment.settings.VOUCH_MAX_API_KEYS
  // Serialized, so that two requests cannot exceed the limit together.
  await sql`select from workspaces where id = ${workspaceId} for no key update`
  const { count } = only(
    await sql<{ count: bigint }[]>`
      select count(*) from api_keys
      where workspace_id = ${workspaceId} and revoked_at is null and (expires_at is null or expires_at > ${clock.now()})`,
  )
  if (count >= most)
    fail(
      "api_key_limit",
      `This workspace has ${count} active API keys, and the limit is ${most} (VOUCH_MAX_API_KEYS). Revoke one first.`,
    )
}

export async function addSecret(
  sql: Queryable,
  { workspaceId, keyId, apiKey, author }: { workspaceId: string; keyId: string; apiKey: string; author: Author },
): Promise<void> {
  await sql`
    insert into key_secrets (hash, workspace_id, key_id, start, created_at, shown_to)
    values (${hashApiKey(apiKey)}, ${workspaceId}, ${keyId}, ${startOfApiKey(apiKey)}, ${clock.now()},
      ${userIdOf(author)})`
}
