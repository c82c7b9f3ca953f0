import { LRUCache } from "lru-cache"
import { keyReads, sql } from "#db/client.ts"
import { subscribe } from "#db/pubsub.ts"
import type { TableRow } from "#db/rows.ts"
import type { Principal } from "#domain/requests"
import { logger } from "#server/lib/log.ts"
import { clock } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import type { Mode } from "#shared/mode.ts"
import { hashApiKey, isWellFormedApiKey, whyNoApiKey } from "./secret.ts"

/** How long a looked-up key is cached. A revoked key must stop working everywhere within five seconds. */
const CACHE_MS = 4000
const CACHE_MAX = 10_000
const LAST_USED_EVERY_MS = 60_000

type CachedKey = {
  principal: Principal & { via: { kind: "key" } }
  expiresAt: number
  validUntil: number
  readAt: number
}

const cache = new LRUCache<string, CachedKey>({ max: CACHE_MAX })
const lastUsed = new LRUCache<string, number>({ max: CACHE_MAX })

subscribe("keys", () => cache.clear())

/** The principal of an `Authorization` header. Errors: missing_api_key, invalid_api_key, expired_api_key. */
export async function authenticate(authorization: string | undefined): Promise<CachedKey["principal"]> {
  if (authorization === undefined || authorization === "") {
    return fail("missing_api_key", "Send the header Authorization: Bearer <API_KEY>.")
  }
  const key = /^bearer +(\S+) *$/i.exec(authorization)?.[1]
  if (key === undefined) return fail("invalid_api_key", 'Authorization: must be "Bearer", a space and one API key.')
  if (!isWellFormedApiKey(key)) return fail("invalid_api_key", `Authorization: ${whyNoApiKey(key)}`)
  const hash = hashApiKey(key)
  const hashText = hash.toString("latin1")
  const now = clock.now().getTime()
  let entry = cache.get(hashText)
  if (entry === undefined || now - entry.readAt > CACHE_MS || now < entry.readAt) {
    entry = await readKey(hash, now)
    cache.set(hashText, entry)
  }
  if (entry.validUntil <= now) return refuse()
  if (entry.expiresAt <= now) {
    return fail("expired_api_key", "This API key has expired. Create a new one or rotate it.")
  }
  noteUse(entry.principal, now)
  return entry.principal
}

const refuse = (): never =>
  fail("invalid_api_key", "Authorization: this API key is unknown or revoked. Create another one under API keys.")

async function readKey(hash: Buffer, now: number): Promise<CachedKey> {
  type Row = Pick<TableRow<"key_secrets">, "workspace_id" | "key_id" | "valid_until"> &
    Pick<TableRow<"api_keys">, "scopes" | "expires_at"> & { mode: Mode }
  const [row] = await keyReads<Row[]>`
    select s.workspace_id, w.mode, s.key_id, k.scopes, k.expires_at, s.valid_until
    from key_secrets s
    join api_keys k on k.workspace_id = s.workspace_id and k.id = s.key_id
    join workspaces w on w.id = s.workspace_id
    where s.hash = ${hash} and k.revoked_at is null`
  if (!row) return refuse()
  return {
    principal: {
      workspaceId: row.workspace_id,
      mode: row.mode,
      scopes: new Set(row.scopes),
      via: { kind: "key", keyId: row.key_id },
    },
    expiresAt: row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY,
    validUntil: row.valid_until?.getTime() ?? Number.POSITIVE_INFINITY,
    readAt: now,
  }
}

/** Writes `last_used_at` at most once a minute, without delaying the request. */
function noteUse({ workspaceId, via }: CachedKey["principal"], now: number): void {
  const noted = lastUsed.get(via.keyId)
  if (noted !== undefined && now - noted < LAST_USED_EVERY_MS) return
  lastUsed.set(via.keyId, now)
  sql`update api_keys set last_used_at = ${new Date(now)} where workspace_id = ${workspaceId} and id = ${via.keyId}`.catch(
    (error) => logger.debug({ err: error }, "could not write last_used_at"),
  )
}
