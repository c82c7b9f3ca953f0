import { afterEach, expect, test } from "vitest"
import { open, sql } from "#db/client.ts"
import { KeyClaimed, keyWait, storeAnswer } from "#server/domain/requests/idempotency.ts"
import { newId } from "#server/lib/ids.ts"
import { waitFor } from "#test/fixtures/app.ts"
import type { Response } from "#test/fixtures/http.ts"
import { bodyOf, newKey, startsOf } from "#test/fixtures/idempotency.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"
import { expectReplay } from "#test/matchers/answers.ts"

usesCustomer({ environment: { VOUCH_ROLE: "web" } })
afterEach(() => {
  keyWait.ms = 25_000
})

const start = startsOf(() => [app, key])

const revokeWith = (idempotencyKey: string, attestationId: string, reason: string) =>
  app.request({
    method: "POST",
    path: `/attestation/${attestationId}/revoke`,
    key: key.apiKey,
    idempotencyKey,
    json: { reason },
  })

test("200 requests with one key at once: one session, 199 replays, all bytes equal", async () => {
  const [name, body] = [newKey(), bodyOf()]
  const answers = await Promise.all(Array.from({ length: 200 }, () => start(name, body)))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  expect(answers.filter(({ headers }) => headers["idempotent-replayed"] === "true")).toHaveLength(199)
  const rows = await sql`select from attestations where wallet = ${body.userPubkey}`
  expect(rows).toHaveLength(1)
})

test("200 requests with one key and two bodies at once: one body is accepted, the other refused", async () => {
  const name = newKey()
  const bodies = [bodyOf(), bodyOf()]
  const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => start(name, bodies[i % 2])))
  const done = answers.filter(({ status }) => status === 200)
  expect(done).toHaveLength(100)
  expect(new Set(done.map(({ text }) => text)).size).toBe(1)
  const refused = answers.filter(({ json }) => json.error === "idempotency_key_reused")
  expect(refused).toHaveLength(100)
})

/** Another request's claim of a key, held open while `during` runs. Then it commits or rolls back. */
async function whileClaimed(name: string, { commit }: { commit: boolean }, during: () => Promise<void>): Promise<void> {
  const end = new Error("undone")
  // A separate connection: the database would soon end our idle transaction.
  const other = open(app.databaseUrl, 1)
  await other
    .begin(async (tx) => {
      await tx`
        insert into idempotency_records (workspace_id, key_id, idempotency_key, fingerprint, subject, created_at)
        values (${key.workspaceId}, ${key.keyId}, ${name}, ${Buffer.alloc(32)}, ${newId("sess")}, now())`
      await during()
      if (!commit) throw end
    })
    .catch((error) => {
      if (error !== end) throw error
    })
    .finally(() => other.end())
}

const somebodyWaits = () =>
  waitFor(async () => {
    const waiting = await sql`
      select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    return waiting.length > 0
  }, "a request to wait for the first one")

/** Shortens the 25 s that a request waits. */
const waitBriefly = () => {
  keyWait.ms = 200
}

test("idempotency_in_progress: after the wait the answer is 409 with Retry-After and is not stored", async () => {
  expect(keyWait.ms).toBe(25_000)
  waitBriefly()
  const [name, body] = [newKey(), bodyOf()]
  await whileClaimed(name, { commit: false }, async () => {
    const waited = await start(name, body)
    expect(waited).toMatchObject({ status: 409, json: { error: "idempotency_in_progress" } })
    expect(Number(waited.headers["retry-after"])).toBeGreaterThan(0)
    expect(waited.json.detail).toMatch(/Idempotency-Key/)
  })
  expect((await start(name, body)).status).toBe(200)
  expect(await sql`select from attestations where wallet = ${body.userPubkey}`).toHaveLength(1)
})

test("idempotency_in_progress: a revocation whose key is in use changes nothing, and succeeds later", async () => {
  const { wallet } = await app.startSession(key)
  const [row] = await sql<{ id: string }[]>`select id from attestations where wallet = ${wallet}`
  waitBriefly()
  const name = newKey()
  const revoke = () => revokeWith(name, row!.id, "x")
  await whileClaimed(name, { commit: false }, async () => {
    expect(await revoke()).toMatchObject({ status: 409, json: { error: "idempotency_in_progress" } })
  })
  const [after] = await sql`select status from attestations where id = ${row!.id}`
  expect(after!.status).toBe("pending")
  const first = await revoke()
  expect(first.json).toMatchObject({ status: "rejected", revocation_reason: "x" })
  expectReplay(await revoke(), first)
})

test("two at once: the second waits for the first, and does the work itself if that fails", async () => {
  const [name, body] = [newKey(), bodyOf()]
  let second: Promise<Response>
  await whileClaimed(name, { commit: false }, async () => {
    second = start(name, body)
    await somebodyWaits()
  })
  expect((await second!).status).toBe(200)
})

test("two at once: the second waits for the first, and is refused if the key was for another request", async () => {
  const name = newKey()
  let second: Promise<Response>
  await whileClaimed(name, { commit: true }, async () => {
    second = start(name, bodyOf())
    await somebodyWaits()
  })
  expect((await second!).json.error).toBe("idempotency_key_reused")
})

test("after a crash before the answer was stored, the same key joins the session that was started", async () => {
  const [name, body] = [newKey(), bodyOf()]
  const first = await start(name, body)
  const forget = () => sql`
    update idempotency_records set status = null, body = null where idempotency_key = ${name}`
  await forget()
  const joined = await start(name, body)
  expect(joined.status).toBe(200)
  expect(joined.text).toBe(first.text)
  expect(joined.headers["idempotent-replayed"]).toBeUndefined()
  expectReplay(await start(name, body), joined)

  // Even if that session has ended since: a retry never starts a second one.
  await app.webhook({ session_id: first.json.session_id, decision: "rejected" })
  await forget()
  expect((await start(name, body)).text).toBe(first.text)
  expect(await sql`select from attestations where wallet = ${body.userPubkey}`).toHaveLength(1)

  await forget()
  const many = await Promise.all(Array.from({ length: 50 }, () => start(name, body)))
  expect(new Set(many.map(({ text }) => text))).toEqual(new Set([first.text]))
  expect(await sql`select from attestations where wallet = ${body.userPubkey}`).toHaveLength(1)
})

test("after a crash, a repeated revocation returns the current record", async () => {
  const { wallet } = await app.startSession(key)
  const [row] = await sql<{ id: string }[]>`select id from attestations where wallet = ${wallet}`
  const name = newKey()
  const revoke = () => revokeWith(name, row!.id, "Sanctions list match")
  const first = await revoke()
  await sql`update idempotency_records set status = null, body = null where idempotency_key = ${name}`
  expect((await revoke()).text).toBe(first.text)
  expectReplay(await revoke(), first)
})

test("at the last unit of quota, many requests with one key at once all get the same session", async () => {
  for (let round = 0; round < 10; round++) {
    const last = await app.key({ mode: "live", plan: "enterprise", quota: 1 })
    const [name, body] = [newKey(), bodyOf()]
    const answers = await Promise.all(Array.from({ length: 20 }, () => start(name, body, last.apiKey)))
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  }
})

test("a stored refusal never replaces the session that another request started", async () => {
  const [name, body] = [newKey(), bodyOf()]
  await start(name, body)
  const [record] = await sql<{ fingerprint: Buffer; subject: string }[]>`
    update idempotency_records set status = null, body = null where idempotency_key = ${name}
    returning fingerprint, subject`
  const claim = { workspaceId: key.workspaceId, keyId: key.keyId, idempotencyKey: name, ...record! }
  const refusal = { status: 429, body: "{}" }
  await expect(storeAnswer({ ...claim, begun: null }, refusal)).rejects.toThrow(KeyClaimed)
  await storeAnswer({ ...claim, begun: record!.subject }, refusal)
  expect(await sql`select status from idempotency_records where idempotency_key = ${name}`).toEqual([{ status: 429 }])
})
