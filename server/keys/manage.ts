import { sql } from "#db/client.ts"
import { announce } from "#server/bus.ts"
import type { Mode } from "#server/env.ts"
import { addSeconds, clock, toTimestamp } from "#server/time.ts"
import { addSecret } from "./create.ts"
import type { Scope } from "./scopes.ts"
import { newApiKey } from "./secret.ts"

export type KeySummary = {
  key_id: string
  account: string
  mode: Mode
  name: string
  /** The first characters of the newest secret. */
  start: string
  scopes: Scope[]
  status: "active" | "expired" | "revoked"
  expires_at: string | null
  last_used_at: string | null
  created_at: string
}

/** All keys, or those of one account, oldest first. */
export async function listKeys(account: string | null): Promise<KeySummary[]> {
  const now = clock.now()
  const rows = await sql<
    {
      id: string
      account: string
      mode: Mode
      name: string
      start: string
      scopes: Scope[]
      expires_at: Date | null
      revoked_at: Date | null
      last_used_at: Date | null
      created_at: Date
    }[]
  >`
    select k.id, a.name as account, w.mode, k.name, k.scopes, k.expires_at, k.revoked_at, k.last_used_at, k.created_at,
      (select start from key_secrets s where s.workspace_id = k.workspace_id and s.key_id = k.id
       order by s.created_at desc limit 1) as start
    from api_keys k
    join workspaces w on w.id = k.workspace_id
    join accounts a on a.id = w.account_id
    where ${account}::text is null or a.name = ${account}
    order by k.created_at, k.id`
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
  }))
}

/** Ends a key and all its secrets. Returns false when there is no such key; revoking twice is the same as once. */
export async function revokeKey(keyId: string): Promise<boolean> {
  const revoked = await sql`
    update api_keys set revoked_at = coalesce(revoked_at, ${clock.now()}) where id = ${keyId} returning id`
  announce("keys")
  return revoked.length > 0
}

/**
 * Gives a key a new secret; the old one works for `graceSeconds` more. The key_id, and with it the scope of
 * idempotency, stays. Returns the new secret, or null when there is no such key or it was revoked.
 */
export async function rotateKey(keyId: string, graceSeconds: number): Promise<string | null> {
  const rotated = await sql.begin(async (sql) => {
    const [key] = await sql<{ workspace_id: string; mode: Mode }[]>`
      select k.workspace_id, w.mode from api_keys k join workspaces w on w.id = k.workspace_id
      where k.id = ${keyId} and k.revoked_at is null for update of k`
    if (!key) return null
    const now = clock.now()
    await sql`delete from key_secrets where workspace_id = ${key.workspace_id} and key_id = ${keyId} and valid_until <= ${now}`
    await sql`
      update key_secrets set valid_until = least(coalesce(valid_until, 'infinity'), ${addSeconds(now, graceSeconds)})
      where workspace_id = ${key.workspace_id} and key_id = ${keyId}`
    const apiKey = newApiKey(key.mode)
    await addSecret(sql, { workspaceId: key.workspace_id, keyId, apiKey })
    return apiKey
  })
  announce("keys")
  return rotated
}
