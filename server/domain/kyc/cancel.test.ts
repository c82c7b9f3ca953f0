import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { newId } from "#server/lib/ids.ts"
import { newWallet } from "#test/fixtures/app.ts"
import { member } from "#test/fixtures/people.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"

usesCustomer()

const cancel = (id: string, { by = key, json = {}, idempotencyKey = "" } = {}) =>
  app.request({
    method: "POST",
    path: `/kyc/session/${id}/cancel`,
    key: by.apiKey,
    json,
    ...(idempotencyKey !== "" && { idempotencyKey }),
  })
const used = async (by = key): Promise<number> =>
  (await app.request({ method: "GET", path: "/usage", key: by.apiKey })).json.used
const entries = async (attestationId: string) =>
  (
    await sql`select action, detail from audit_entries where workspace_id = ${key.workspaceId} and subject = ${attestationId}`
  ).map((row) => ({ ...row }))
const pageOf = async (sessionId: string) => {
  const response = await fetch(`${app.origin}/api/trpc/verification.view`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: app.origin },
    body: JSON.stringify({ sessionId }),
  })
  return ((await response.json()) as { result: { data: Record<string, unknown> } }).result.data
}

test("a cancelled session returns its unit, its page says so, and no later event decides it", async () => {
  const before = await used()
  const { wallet, sessionId } = await app.startSession(key)
  expect(await used()).toBe(before + 1)
  const answer = await cancel(sessionId, { json: { reason: "Started by mistake" } })
  expect(answer).toMatchObject({
    status: 200,
    json: {
      session_id: sessionId,
      session_url: null,
      state: "cancelled",
      status: "rejected",
      expires_at: null,
    },
  })
  expect(await used()).toBe(before)
  expect(await pageOf(sessionId)).toMatchObject({ state: "rejected", was: "cancelled", reason: "withdrawn" })
  const { json: record } = await app.request({
    method: "GET",
    path: `/attestation/${answer.json.attestation_id}`,
    key: key.apiKey,
  })
  expect(record).toMatchObject({ status: "rejected", revocation_reason: "Started by mistake" })
  // The reason can be erased with the attestation; a line of the audit log cannot.
  expect(await entries(answer.json.attestation_id)).toEqual([{ action: "session.cancelled", detail: {} }])
  const late = await app.webhook({ session_id: sessionId, decision: "approved", claims: { country: "US" } })
  expect(late.json).toMatchObject({ outcome: "ignored" })
  expect((await app.startSession(key, wallet)).sessionId).not.toBe(sessionId)
})

test("cancelling an ended session returns it unchanged, whether cancelled, rejected or expired", async () => {
  const { sessionId } = await app.startSession(key)
  const first = await cancel(sessionId)
  expect((await cancel(sessionId)).json).toEqual(first.json)
  expect(await entries(first.json.attestation_id)).toHaveLength(1)
  for (const decision of ["rejected", "expired"]) {
    const { sessionId } = await app.startSession(key)
    await app.webhook({ session_id: sessionId, decision })
    const before = await used()
    expect(await cancel(sessionId)).toMatchObject({ status: 200, json: { state: decision } })
    expect(await used()).toBe(before)
  }
})

test("an approved session cannot be cancelled, before or after it lands, and nothing is revoked", async () => {
  const { wallet, sessionId } = await app.verifiedWallet(key)
  expect(await cancel(sessionId)).toMatchObject({ status: 409, json: { error: "session_approved" } })
  await app.waitForStatus(key, wallet, "verified")
  const other = await app.startSession(key)
  await sql`
    update attestations set issued_at = now(), expires_at = now() + interval '1 day', open_until = null
    where session_id = ${other.sessionId}`
  expect(await cancel(other.sessionId)).toMatchObject({ status: 409, json: { error: "session_approved" } })
})

test("cancelling a renewal leaves the wallet verified", async () => {
  const { wallet, status } = await app.verifiedWallet(key)
  const { sessionId } = await app.startSession(key, wallet)
  expect((await cancel(sessionId)).json.state).toBe("cancelled")
  expect(await app.waitForStatus(key, wallet, "verified")).toEqual(status)
})

test("of many simultaneous cancels, one ends the session and returns the unit", async () => {
  const { sessionId } = await app.startSession(key)
  const before = await used()
  const name = newId("evt")
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) => cancel(sessionId, n % 2 ? { idempotencyKey: name } : {})),
  )
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  expect(await used()).toBe(before - 1)
  expect(await entries(answers[0]!.json.attestation_id)).toHaveLength(1)
  const replay = await cancel(sessionId, { idempotencyKey: name })
  expect(replay.headers["idempotent-replayed"]).toBe("true")
  expect((await cancel(sessionId, { idempotencyKey: name, json: { reason: "x" } })).json).toMatchObject({
    error: "idempotency_key_reused",
  })
})

test("of a simultaneous cancel and approval one wins, and the answer to the other says so", async () => {
  for (let n = 0; n < 6; n++) {
    const { wallet, sessionId } = await app.startSession(key)
    const before = await used()
    const event = { session_id: sessionId, decision: "approved", claims: { country: "US" } }
    const [cancelled, approved] = await Promise.all([cancel(sessionId), app.webhook(event)])
    if (cancelled.status === 200) {
      expect(approved.json.outcome).toBe("ignored")
      expect(cancelled.json.state).toBe("cancelled")
      expect(await used()).toBe(before - 1)
    } else {
      expect(cancelled).toMatchObject({ status: 409, json: { error: "session_approved" } })
      expect(approved.json.outcome).toBe("applied")
      await app.waitForStatus(key, wallet, "verified")
      expect(await used()).toBe(before)
    }
  }
})

test("a cancel and simultaneous starts of the same wallet leave at most one open session and only its unit", async () => {
  for (let n = 0; n < 6; n++) {
    const wallet = newWallet()
    const { sessionId } = await app.startSession(key, wallet)
    const before = (await used()) - 1
    const [cancelled, ...started] = await Promise.all([
      cancel(sessionId),
      ...Array.from({ length: 4 }, () => app.startSession(key, wallet)),
    ])
    expect(cancelled).toMatchObject({ status: 200, json: { state: "cancelled" } })
    const [{ open }] = (await sql`
      select count(*)::int as open from attestations where wallet = ${wallet} and status = 'pending'`) as unknown as [
      { open: number },
    ]
    const others = new Set(started.map((one) => one.sessionId).filter((id) => id !== sessionId))
    expect(open).toBe(others.size)
    expect(open).toBeLessThanOrEqual(1)
    expect(await used()).toBe(before + open)
  }
})

test("an invalid reason is 422 and ends nothing", async () => {
  const { sessionId } = await app.startSession(key)
  for (const json of [{ reason: "" }, { reason: "x".repeat(501) }, { reason: 1 }, { why: "x" }])
    expect((await cancel(sessionId, { json })).json.error).toBe("validation_failed")
  const { json } = await app.request({ method: "GET", path: `/kyc/session/${sessionId}`, key: key.apiKey })
  expect(json.state).toBe("open")
})

test("another workspace and a read-only key cannot cancel", async () => {
  const { sessionId } = await app.startSession(key)
  const theirs = await cancel(sessionId, { by: await app.key() })
  const nowhere = await cancel(newId("sess"))
  expect(theirs).toMatchObject({ status: 404, json: { error: "session_not_found" } })
  expect(nowhere.json.detail).toBe(theirs.json.detail)
  const { browser, account } = await member(app)
  const mine = await app.startSession(await app.key({ account }))
  const viewer = (await member(app, { role: "viewer", account })).browser
  expect(await viewer.mutate("session.cancel", { id: mine.sessionId })).toMatchObject({
    error: { error: "insufficient_scope" },
  })
  expect(await browser.mutate("session.cancel", { id: mine.sessionId })).toMatchObject({
    data: { state: "cancelled" },
  })
  const { data } = await browser.query("session.list", { state: "closed" })
  expect(data.data).toMatchObject([{ state: "cancelled", session_id: mine.sessionId }])
  const detail = await browser.query("attestation.detail", { id: data.data[0].attestation_id })
  expect(detail.data.timeline.at(-1)).toMatchObject({ event: "cancelled", by: { kind: "user" } })
})
