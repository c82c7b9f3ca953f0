import { type Queryable, sql } from "#db/client.ts"
import { publish } from "#db/pubsub.ts"
import { columns, qualified, type RowOf } from "#db/rows.ts"
import { type Author, recordChange, theOperator } from "#domain/audit-log"
import { accountOf, holdPermission, keysKnownTo } from "#domain/people"
import type { Caller } from "#domain/requests"
import { addSeconds, clock } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import type { Mode } from "#shared/mode.ts"
import { isScope, type Permission } from "#shared/scopes.ts"
import { addSecret } from "./create.ts"
import { newApiKey } from "./secret.ts"

/** The key to change. */
export type KeyChange = {
  keyId: string
  /** The workspace it must be in; null for the command line, which can reach every workspace. */
  workspaceId: string | null
  author?: Author
}

/** The same error for a key that is inactive, does not exist or is in another workspace. */
export const noWorkingKey = (): never =>
  fail("key_not_found", "key_id: this workspace has no active key with this id. List its keys.")

/** Revokes a key and all its secrets. Revoking twice has no further effect. Errors: key_not_found. */
export async function revokeKey({ keyId, workspaceId, author = theOperator }: KeyChange): Promise<void> {
  await sql.begin(async (sql) => {
    const key = await lockKey(sql, keyId, workspaceId)
    if (!key) return noWorkingKey()
    if (key.revoked_at !== null) return
    await sql`
      update api_keys set revoked_at = ${clock.now()} where workspace_id = ${key.workspace_id} and id = ${keyId}`
    const detail = { name: key.name }
    await recordChange(sql, key.workspace_id, { author, action: "key.revoked", subject: keyId, detail })
  })
  publish("keys")
}

/**
 * Gives a key a new secret; the old one works for `graceSeconds` more. The key_id stays the same, and with it the scope
 * of idempotency keys. Returns the new secret. Errors: key_not_found, also for a revoked key; insufficient_scope if the
 * key has a permission that its rotator lacks.
 */
export async function rotateKey({
  keyId,
  workspaceId,
  graceSeconds,
  allowed = null,
  author = theOperator,
  within = sql,
}: KeyChange & {
  graceSeconds: number
  /** The rotator's permissions; null for all. */
  allowed?: ReadonlySet<Permission> | null
  /** The transaction to run in, if any. The caller publishes `keys` after its commit. */
  within?: Queryable
}): Promise<string> {
  const rotate = async (sql: Queryable) => {
    if (workspaceId !== null) await holdPermission(sql, workspaceId, author, "key:write")
    const key = await lockKey(sql, keyId, workspaceId)
    if (!key || key.revoked_at !== null) return noWorkingKey()
    if (allowed !== null) requireScopes(allowed, key.scopes)
    const now = clock.now()
    await sql`delete from key_secrets where workspace_id = ${key.workspace_id} and key_id = ${keyId} and valid_until <= ${now}`
    await sql`
      update key_secrets set valid_until = least(coalesce(valid_until, 'infinity'), ${addSeconds(now, graceSeconds)})
      where workspace_id = ${key.workspace_id} and key_id = ${keyId}`
    const apiKey = newApiKey(key.mode)
    await addSecret(sql, { workspaceId: key.workspace_id, keyId, apiKey, author })
    const detail = { name: key.name, grace_seconds: graceSeconds }
    await recordChange(sql, key.workspace_id, { author, action: "key.rotated", subject: keyId, detail })
    return apiKey
  }
  if (within !== sql) return rotate(within)
  const rotated = await sql.begin(rotate)
  publish("keys")
  return rotated
}

/** A key cannot have a scope that its creator lacks. Errors: insufficient_scope. */
export function requireScopes(allowed: ReadonlySet<Permission>, scopes: readonly string[]): void {
  const missing = scopes.find((scope) => isScope(scope) && !allowed.has(scope))
  if (missing === undefined) return
  fail(
    "insufficient_scope",
    `scopes: your role does not allow ${missing}. Leave it out, or ask an owner to create the key.`,
  )
}

const keyColumns = columns("api_keys", "workspace_id, name, scopes, revoked_at")
type LockedKey = RowOf<typeof keyColumns> & { mode: Mode }

export async function lockKey(sql: Queryable, keyId: string, workspaceId: string | null): Promise<LockedKey | null> {
  const [key] = await sql<LockedKey[]>`
    select ${sql(qualified("k", keyColumns))}, w.mode
    from api_keys k join workspaces w on w.id = k.workspace_id
    where k.id = ${keyId} ${workspaceId === null ? sql`` : sql`and k.workspace_id = ${workspaceId}`}
    for update of k`
  return key ?? null
}

/** Revokes every key of the account whose secret a former member saw. */
export async function revokeKeysKnownTo({ userId, ...caller }: Caller & { userId: string }) {
  const { id } = await accountOf(sql, caller.principal.workspaceId)
  const keys = await keysKnownTo(sql, id, userId)
  for (const { key_id, workspace_id } of keys)
    await revokeKey({ keyId: key_id, workspaceId: workspace_id, author: caller })
  return { revoked: keys.length }
}
