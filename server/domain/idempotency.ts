import { hash } from "node:crypto"
import { LOCK_NOT_AVAILABLE, type Queryable, short } from "#db/client.ts"
import { canonicalJson, type JsonObject } from "#server/lib/json.ts"
import { fail } from "#shared/errors.ts"
import type { IdempotencyClaim } from "./context.ts"

/** How long a stored answer is replayed. */
export const REPLAY_SECONDS = 24 * 3600
/**
 * Of a record, by the database's own clock in the statement itself: a key that is forgotten too early lets the same
 * mint happen twice, so that no process's idea of the time may decide it.
 */
export const isReplayedNoMore = (sql: Queryable) =>
  sql`created_at <= clock_timestamp() - ${REPLAY_SECONDS} * interval '1 second'`
/** How long a request waits for the first one with its key; a test of the end of it makes it short. */
export const keyWait = { ms: 25_000 }

/** An answer as it goes over the wire. */
export type Answer = { status: number; body: string }

/** Another request claimed the idempotency key in the meantime. The adapter reads it again, and replays or joins. */
export class KeyClaimed extends Error {}

/** Another request holds the key and has not committed yet. The adapter retries in a moment. */
export class KeyBusy extends Error {}

/**
 * The header's value, checked. Sent twice, it comes joined by a comma and a space, and a space is refused.
 * Errors: invalid_idempotency_key.
 */
export function readIdempotencyKey(value: string | string[] | undefined): string | null {
  if (value === undefined) return null
  if (typeof value === "string" && /^[\x21-\x7e]{1,255}$/.test(value)) return value
  return fail(
    "invalid_idempotency_key",
    "Idempotency-Key: must be 1 to 255 visible ASCII characters, sent once.",
  )
}

/** SHA-256 of method, concrete path and the received JSON in canonical form. */
export const fingerprintOf = (method: string, path: string, body: JsonObject): Buffer =>
  hash("sha256", `${method} ${path}\n${canonicalJson(body)}`, "buffer")

export type Record = { answer: Answer | null; begun: string | null }

/** What is known of a key: nothing, what it began, or its answer. Errors: idempotency_key_reused. */
export async function findRecord(claim: IdempotencyClaim): Promise<Record | null> {
  const { workspaceId, keyId, idempotencyKey, fingerprint } = claim
  const [row] = await short<
    {
      fingerprint: Buffer
      subject: string | null
      status: number | null
      body: Buffer | null
      over: boolean
    }[]
  >`
    select fingerprint, subject, status, body, ${isReplayedNoMore(short)} as over from idempotency_records
    where workspace_id = ${workspaceId} and key_id = ${keyId} and idempotency_key = ${idempotencyKey}`
  if (!row) return null
  if (row.over) {
    await short`
      delete from idempotency_records
      where workspace_id = ${workspaceId} and key_id = ${keyId} and idempotency_key = ${idempotencyKey}
        and ${isReplayedNoMore(short)}`
    return null
  }
  if (!row.fingerprint.equals(fingerprint)) {
    return fail(
      "idempotency_key_reused",
      "Idempotency-Key: already used for another request. Use a new key for this one.",
    )
  }
  const answer =
    row.status !== null && row.body !== null ? { status: row.status, body: row.body.toString("utf8") } : null
  return { answer, begun: row.subject }
}

/**
 * Stores the first answer to a key, before its first byte is sent. Returns false when another request has stored
 * one meanwhile: then that one is the answer.
 */
export async function storeAnswer(claim: IdempotencyClaim, { status, body }: Answer): Promise<boolean> {
  const { workspaceId, keyId, idempotencyKey, fingerprint, begun } = claim
  // A record that points at what another request began waits for that one's answer, never for ours.
  const stored = await short`
    insert into idempotency_records as r (workspace_id, key_id, idempotency_key, fingerprint, status, body, created_at)
    values (${workspaceId}, ${keyId}, ${idempotencyKey}, ${fingerprint}, ${status}, ${Buffer.from(body)}, clock_timestamp())
    on conflict (workspace_id, key_id, idempotency_key) do update set status = excluded.status, body = excluded.body
    where r.status is null and r.fingerprint = excluded.fingerprint and r.subject is not distinct from ${begun}
    returning r.key_id`
  return stored.length > 0
}

/**
 * What a statement that claims a key failed with; KeyBusy where the key was the lock that it did not get. The database
 * names what was waited for by its relation, in every language.
 */
export function explainClaim(error: unknown): unknown {
  const { code, where } = error as { code?: string; where?: string }
  if (code !== LOCK_NOT_AVAILABLE || !where?.includes('"idempotency_records')) return error
  return new KeyBusy("another request holds the key", { cause: error })
}

/**
 * Claims a key in the transaction of the first change that its request makes. Throws KeyClaimed when another
 * request has it, KeyBusy when one may have it: the transaction then ends without a trace.
 */
export async function claimKey(sql: Queryable, claim: IdempotencyClaim, subject: string): Promise<void> {
  const { workspaceId, keyId, idempotencyKey, fingerprint } = claim
  const claimed = await sql`
    insert into idempotency_records (workspace_id, key_id, idempotency_key, fingerprint, subject, created_at)
    values (${workspaceId}, ${keyId}, ${idempotencyKey}, ${fingerprint}, ${subject}, clock_timestamp())
    on conflict do nothing returning key_id`.catch((error) => {
    throw explainClaim(error)
  })
  if (claimed.length === 0) throw new KeyClaimed()
  claim.begun = subject
}
