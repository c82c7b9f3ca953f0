import { hash } from "node:crypto"
import type { PendingQuery } from "postgres"
import { isLockOf, isUniqueViolation, type Queryable, short } from "#db/client.ts"
import { prepared } from "#db/prepared.ts"
import { canonicalJson, type JsonObject } from "#server/lib/json.ts"
import { sleep } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import type { IdempotencyClaim, Principal } from "./context.ts"

/** How long a stored response is replayed. */
export const REPLAY_SECONDS = 24 * 3600
/**
 * How long a record lives, by the database's clock in the statement itself. A key that is forgotten too early lets the
 * same mint happen twice, so no process's clock may decide it.
 */
export const isExpired = (sql: Queryable) =>
  sql`created_at <= statement_timestamp() - ${REPLAY_SECONDS} * interval '1 second'`
/** How long a request waits for the first one with its key. A test shortens it. */
export const keyWait = { ms: 25_000 }

/** A response as sent. */
export type Answer = { status: number; body: string }

/** Another request claimed or answered the key in the meantime: read it again, and replay or join. */
export class KeyClaimed extends Error {}

/** Another request holds the key and has not committed yet: ask again in a moment. */
class KeyBusy extends Error {}

/**
 * Checks the header's value. If it is sent twice, the values arrive joined by a comma and a space, and a space is
 * refused. Errors: invalid_idempotency_key.
 */
export function readIdempotencyKey(value: string | string[] | undefined): string | null {
  if (value === undefined) return null
  if (typeof value === "string" && /^[\x21-\x7e]{1,255}$/.test(value)) return value
  return fail("invalid_idempotency_key", "Idempotency-Key: must be 1 to 255 visible ASCII characters, sent once.")
}

/** SHA-256 of method, concrete path and the received JSON in canonical form. */
export const fingerprintOf = (method: string, path: string, body: JsonObject): Buffer =>
  hash("sha256", `${method} ${path}\n${canonicalJson(body)}`, "buffer")

/** The claim of a key. The key belongs to the API key or the signed-in person that sent it. */
export function claimOf(
  { workspaceId, via }: Principal,
  idempotencyKey: string,
  fingerprint: Buffer,
): IdempotencyClaim {
  const keyId = via.kind === "key" ? via.keyId : via.kind === "user" ? via.userId : via.kind
  return { workspaceId, keyId, idempotencyKey, fingerprint, begun: null }
}

/** Pause before asking again for a key that another request holds. */
const BUSY_MS = 100

/**
 * Runs a request for its key, again as long as another request holds the key. `attempt` gets the stored response, if
 * any, and finds what was begun in the claim. Errors: those of `attempt`, idempotency_key_reused,
 * idempotency_in_progress.
 */
export async function withKey<T>(claim: IdempotencyClaim, attempt: (stored: Answer | null) => Promise<T>): Promise<T> {
  const giveUpAt_ms = performance.now() + keyWait.ms
  for (;;) {
    const record = await findRecord(claim)
    claim.begun = record?.begun ?? null
    try {
      return await attempt(record?.answer ?? null)
    } catch (error) {
      if (hasCause(error, KeyClaimed)) continue
      if (!hasCause(error, KeyBusy)) throw error
      // No connection is held while it waits.
      if (performance.now() >= giveUpAt_ms) inProgress(error)
      await sleep(BUSY_MS)
    }
  }
}

const inProgress = (cause: unknown): never =>
  fail("idempotency_in_progress", "Idempotency-Key: the first request with this key is still running.", {
    retryAfterSeconds: 5,
    cause,
  })

/** Whether an attempt failed because of another request with its key, so that `withKey` makes another. */
export const isContended = (error: unknown): boolean => hasCause(error, KeyClaimed) || hasCause(error, KeyBusy)

/** Whether it is such an error, or tRPC's wrapper of one. */
const hasCause = (error: unknown, kind: typeof KeyClaimed | typeof KeyBusy): boolean =>
  error instanceof kind || (error instanceof Error && error.cause instanceof kind)

type Known = { answer: Answer | null; begun: string | null }

type StoredRecord = {
  fingerprint: Buffer
  subject: string | null
  status: number | null
  body: Buffer | null
  over: boolean
}

const recordOf = prepared<IdempotencyClaim, StoredRecord>(
  (value) => short`
    select fingerprint, subject, status, body, ${isExpired(short)} as over from idempotency_records
    where workspace_id = ${value((claim) => claim.workspaceId)} and key_id = ${value((claim) => claim.keyId)}
      and idempotency_key = ${value((claim) => claim.idempotencyKey)}`,
)

/** What is stored for a key: nothing, what it began, or its response. Errors: idempotency_key_reused. */
async function findRecord(claim: IdempotencyClaim): Promise<Known | null> {
  const { workspaceId, keyId, idempotencyKey, fingerprint } = claim
  const [row] = await recordOf(short, claim)
  if (!row) return null
  if (row.over) {
    await short`
      delete from idempotency_records
      where workspace_id = ${workspaceId} and key_id = ${keyId} and idempotency_key = ${idempotencyKey}
        and ${isExpired(short)}`
    return null
  }
  if (!row.fingerprint.equals(fingerprint)) {
    return fail("idempotency_key_reused", "Idempotency-Key: already used for a different request. Use a new key.")
  }
  const answer =
    row.status !== null && row.body !== null ? { status: row.status, body: row.body.toString("utf8") } : null
  return { answer, begun: row.subject }
}

// biome-ignore lint/suspicious/noExplicitAny: a part of a statement, with any kind of rows
type Fragment = PendingQuery<any>

/** The insert of records. `rows` selects key_id, idempotency_key, fingerprint, subject, status and body. */
const insertRecords = (sql: Queryable, workspaceId: string, rows: Fragment): Fragment => sql`
  insert into idempotency_records as r
    (workspace_id, key_id, idempotency_key, fingerprint, subject, status, body, created_at)
  select ${workspaceId}, t.*, clock_timestamp() from (${rows}) as t`

/**
 * Stores a response only if the record has none yet, and points at what this request began or joined. If another
 * request has claimed the key, the record waits for that request's response. Nothing is stored for a record that was
 * erased in the meantime: the erasure locks the row until it is done, and marks it.
 */
const storing = prepared<{ claim: IdempotencyClaim; answer: Answer }, { key_id: string }>((value) => {
  const fingerprint = value(({ claim }) => claim.fingerprint)
  const row = short`
    select ${value(({ claim }) => claim.keyId)}, ${value(({ claim }) => claim.idempotencyKey)}, ${fingerprint}::bytea, null,
      ${value(({ answer }) => answer.status)}::int, ${value(({ answer }) => Buffer.from(answer.body))}::bytea`
  return short`
    ${insertRecords(
      short,
      value(({ claim }) => claim.workspaceId),
      row,
    )}
    on conflict (workspace_id, key_id, idempotency_key) do update
    set status = case when not r.erased then excluded.status end, body = case when not r.erased then excluded.body end
    where r.status is null and r.fingerprint = excluded.fingerprint
      and r.subject is not distinct from ${value(({ claim }) => claim.begun)}
    returning r.key_id`
})

/**
 * Stores the first response to a key, before its first byte is sent. Throws KeyClaimed if another request has stored
 * one in the meantime; that one is then the response.
 */
export async function storeAnswer(claim: IdempotencyClaim, answer: Answer): Promise<void> {
  const stored = await storing(short, { claim, answer })
  if (stored.length === 0) throw new KeyClaimed()
}

/**
 * A part of a statement that claims a key, for a statement that begins something with the id that `subject` selects. If
 * that statement fails, `explainClaim` says whether the key was the reason.
 */
export function claiming(sql: Queryable, claim: Omit<IdempotencyClaim, "begun">, subject: Fragment): Fragment {
  const { workspaceId, keyId, idempotencyKey, fingerprint } = claim
  const rows = sql`
    select ${keyId}, ${idempotencyKey}, ${fingerprint}::bytea, s.*, null::int, null::bytea from (${subject}) as s`
  return insertRecords(sql, workspaceId, rows)
}

/** The error of a statement that claims a key: KeyClaimed or KeyBusy if the key was the reason. */
export function explainClaim(error: unknown): unknown {
  if (isUniqueViolation(error, "idempotency_records_workspace_id_key_id_idempotency_key_pk")) return new KeyClaimed()
  if (!isLockOf(error, "idempotency_records")) return error
  return new KeyBusy("another request holds the key", { cause: error })
}

/**
 * Claims a key in the transaction of the request's first change. Throws KeyClaimed if another request has it, and
 * KeyBusy if one may have it. The caller's transaction then rolls back.
 */
export async function claimKey(sql: Queryable, claim: IdempotencyClaim, subject: string): Promise<void> {
  const claimed = await claimKeys(sql, claim.workspaceId, [{ claim, subject }])
  if (!claimed.has(subject)) throw new KeyClaimed()
  claim.begun = subject
}

/**
 * Claims the keys of a workspace's requests at once, each for what its request begins. Returns the subjects that got
 * their key. Of equal keys, the first one wins. Throws KeyBusy if another request may have one of them.
 */
export async function claimKeys(
  sql: Queryable,
  workspaceId: string,
  wanted: readonly { claim: IdempotencyClaim; subject: string }[],
): Promise<Set<string>> {
  // Always in the same order, so that no two batches wait for each other.
  const firsts = new Map(wanted.toReversed().map((one) => [nameOf(one.claim), one]))
  const rows = [...firsts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one)
  if (rows.length === 0) return new Set()
  const selected = sql`
    select key_id, idempotency_key, decode(fingerprint, 'base64'), subject, null::int, null::bytea
    from unnest(${rows.map(({ claim }) => claim.keyId)}::text[],
      ${rows.map(({ claim }) => claim.idempotencyKey)}::text[],
      ${rows.map(({ claim }) => claim.fingerprint.toString("base64"))}::text[],
      ${rows.map(({ subject }) => subject)}::text[]) as t(key_id, idempotency_key, fingerprint, subject)`
  const claimed = await sql<{ subject: string }[]>`
    ${insertRecords(sql, workspaceId, selected)} on conflict do nothing returning subject`.catch((error) => {
    throw explainClaim(error)
  })
  return new Set(claimed.map(({ subject }) => subject))
}

/** Undoes claims in the transaction that made them, because a refused request has begun nothing. */
export async function releaseKeys(
  sql: Queryable,
  workspaceId: string,
  claims: readonly IdempotencyClaim[],
): Promise<void> {
  if (claims.length === 0) return
  await sql`
    delete from idempotency_records r
    using unnest(${claims.map((one) => one.keyId)}::text[], ${claims.map((one) => one.idempotencyKey)}::text[])
      as t(key_id, idempotency_key)
    where r.workspace_id = ${workspaceId} and r.key_id = t.key_id and r.idempotency_key = t.idempotency_key`
}

const nameOf = ({ keyId, idempotencyKey }: IdempotencyClaim) => `${keyId} ${idempotencyKey}`
