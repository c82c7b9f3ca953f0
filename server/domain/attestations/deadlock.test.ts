import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { newId } from "#server/lib/ids.ts"
import { waitFor } from "#test/fixtures/app.ts"
import type { Response } from "#test/fixtures/http.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"

usesCustomer({ environment: { VOUCH_ROLE: "web" } })

/**
 * Locks the counter first and the attestation after it: the opposite order to `request`, so the database must abort one
 * of the two. It aborts the request, because this transaction checks for deadlocks later.
 */
async function crossed(attestationId: string, request: () => Promise<Response>): Promise<Response> {
  let answer: Promise<Response>
  await sql.begin(async (tx) => {
    await tx`set local deadlock_timeout = '1min'`
    await tx`select from usage_periods where workspace_id = ${key.workspaceId} for update`
    answer = request()
    await waitFor(async () => {
      const waiting = await sql`
        select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
      return waiting.length > 0
    }, "the request to wait for the counter")
    await tx`select from attestations where id = ${attestationId} for update`
  })
  return answer!
}

const startOne = async () => {
  const { sessionId } = await app.startSession(key)
  const [row] = await sql<{ id: string }[]>`select id from attestations where session_id = ${sessionId}`
  return { sessionId, id: row!.id }
}
const used = async () => (await app.request({ method: "GET", path: "/usage", key: key.apiKey })).json.used as number

test("a webhook that is aborted in a deadlock runs again and is applied once", async () => {
  const { sessionId, id } = await startOne()
  const before = await used()
  const answer = await crossed(id, () => app.webhook({ session_id: sessionId, decision: "rejected" }))
  expect(answer.json).toEqual({ received: true, outcome: "applied" })
  expect(await used()).toBe(before - 1)
})

test("a revocation that is aborted in a deadlock runs again, with its Idempotency-Key", async () => {
  const { id } = await startOne()
  const before = await used()
  const revoke = {
    method: "POST",
    path: `/attestation/${id}/revoke`,
    key: key.apiKey,
    idempotencyKey: newId("evt"),
    json: { reason: "Sanctions list match" },
  }
  const answer = await crossed(id, () => app.request(revoke))
  expect(answer.json).toMatchObject({ status: "rejected", revocation_reason: "Sanctions list match" })
  expect(await used()).toBe(before - 1)
  const [record] = await sql`select subject from idempotency_records where idempotency_key = ${revoke.idempotencyKey}`
  expect(record!.subject).toBe(id)
  const replay = await app.request(revoke)
  expect(replay.headers["idempotent-replayed"]).toBe("true")
  expect(replay.text).toBe(answer.text)
})
