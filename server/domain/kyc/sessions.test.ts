import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { inSessionState } from "#server/domain/attestations/status.ts"
import type { Account } from "#server/domain/onboarding/create-account.ts"
import { newId } from "#server/lib/ids.ts"
import { addSeconds, toTimestamp } from "#server/lib/time.ts"
import { sessionStates } from "#shared/statuses.ts"
import { newWallet } from "#test/fixtures/app.ts"
import { advanceClock } from "#test/fixtures/clock.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"

usesCustomer()

const get = (id: string, by = key) => app.request({ method: "GET", path: `/kyc/session/${id}`, key: by.apiKey })
const list = async (query = "", by = key) =>
  (await app.request({ method: "GET", path: `/kyc/sessions${query}`, key: by.apiKey })).json
const sessionIds = async (query: string, by = key): Promise<string[]> =>
  (await list(query, by)).data.map((one: { session_id: string }) => one.session_id)

test("a session shows its state, and later changes of the attestation do not affect it", async () => {
  const { wallet, sessionId } = await app.startSession(key)
  const open = await get(sessionId)
  expect(open).toMatchObject({
    status: 200,
    json: {
      session_id: sessionId,
      session_url: expect.stringMatching(new RegExp(`^http.*/verify/${sessionId}$`)),
      attestation_id: expect.stringMatching(/^att_/),
      investor_id: expect.stringMatching(/^inv_/),
      user_pubkey: wallet,
      schema: "kyc_individual_v1",
      external_id: null,
      state: "open",
      status: "pending",
      provider: "sandbox",
      consented_at: null,
      expires_at: expect.any(String),
      decided_at: null,
    },
  })
  await app.webhook({ session_id: sessionId, decision: "in_review" })
  expect((await get(sessionId)).json).toMatchObject({
    state: "in_review",
    session_url: open.json.session_url,
    decided_at: expect.any(String),
  })
  await app.webhook({ session_id: sessionId, decision: "approved", claims: { country: "US" } })
  await app.waitForStatus(key, wallet, "verified")
  expect((await get(sessionId)).json).toMatchObject({
    state: "verified",
    status: "verified",
    session_url: null,
    expires_at: null,
  })
  await app.request({
    method: "POST",
    path: `/attestation/${open.json.attestation_id}/revoke`,
    key: key.apiKey,
    json: { reason: "x" },
  })
  expect((await get(sessionId)).json).toMatchObject({ state: "verified", status: "rejected" })
})

test("a session expires on time without a sweep, also in the list", async () => {
  const own = await app.key()
  const { sessionId } = await app.startSession(own)
  const { expires_at } = (await get(sessionId, own)).json
  await advanceClock({ seconds: 24 * 3600 + 1 })
  expect((await get(sessionId, own)).json).toMatchObject({
    state: "expired",
    status: "expired",
    session_url: null,
    expires_at,
  })
  expect(await sessionIds("?state=expired", own)).toEqual([sessionId])
  expect(await sessionIds("?state=open", own)).toEqual([])
})

test("each state lists only its own sessions, and together they list all", async () => {
  const own = await app.key()
  const sessions: Record<string, string> = {}
  sessions.open = (await app.startSession(own)).sessionId
  for (const [state, decision] of [
    ["in_review", "in_review"],
    ["rejected", "rejected"],
    ["expired", "expired"],
  ] as const) {
    sessions[state] = (await app.startSession(own)).sessionId
    await app.webhook({ session_id: sessions[state], decision })
  }
  sessions.cancelled = (await app.startSession(own)).sessionId
  await app.request({
    method: "POST",
    path: `/kyc/session/${sessions.cancelled}/cancel`,
    key: own.apiKey,
    json: {},
  })
  sessions.verified = (await app.verifiedWallet(own)).sessionId
  // Approved but not on chain, as between the webhook and the confirmation.
  sessions.approved = (await app.startSession(own)).sessionId
  await sql`
    update attestations set issued_at = now(), expires_at = now() + interval '1 day', open_until = null
    where session_id = ${sessions.approved}`
  for (const [state, sessionId] of Object.entries(sessions)) {
    expect(await sessionIds(`?state=${state}`, own), state).toEqual([sessionId])
    expect((await get(sessionId, own)).json.state).toBe(state)
  }
  expect((await sessionIds("", own)).sort()).toEqual(Object.values(sessions).sort())
  expect((await sessionIds("?status=pending", own)).sort()).toEqual(
    [sessions.open, sessions.in_review, sessions.approved].sort(),
  )
})

test("sessions are found by wallet, schema, external id, investor and time", async () => {
  const own = await app.key()
  const start = async (wallet: string, schemaId: string, externalId: string) => {
    const json = { userPubkey: wallet, schemaId, externalId }
    const answer = await app.request({ method: "POST", path: "/kyc/start", key: own.apiKey, json })
    return answer.json.session_id as string
  }
  const [a, b] = [newWallet(), newWallet()]
  const first = await start(a, "kyc_individual_v1", "Jane")
  const second = await start(a, "kyc_business_v1", "Jane")
  const third = await start(b, "kyc_individual_v1", "jane")
  expect(await sessionIds(`?pubkey=${a}`, own)).toEqual([second, first])
  expect(await sessionIds("?schema=kyc_individual_v1", own)).toEqual([third, first])
  expect(await sessionIds("?external_id=Jane", own)).toEqual([second, first])
  const { investor_id, created_at } = (await get(first, own)).json
  expect(await sessionIds(`?investor=${investor_id}`, own)).toEqual([second, first])
  for (const unknown of [newId("inv"), "x"]) expect(await sessionIds(`?investor=${unknown}`, own)).toEqual([])
  await sql`update attestations set created_at = created_at - interval '2 hours' where session_id = ${first}`
  const between = toTimestamp(addSeconds(new Date(created_at), -3600))
  expect(await sessionIds(`?created_after=${between}`, own)).toEqual([third, second])
  expect(await sessionIds(`?created_before=${between}`, own)).toEqual([first])
})

test("a status and a state together list the sessions that match both", async () => {
  const own = await app.key()
  const { sessionId } = await app.startSession(own)
  const { sessionId: verified, status } = await app.verifiedWallet(own)
  await app.request({
    method: "POST",
    path: `/attestation/${status.attestation_id}/revoke`,
    key: own.apiKey,
    json: { reason: "x" },
  })
  expect(await sessionIds("?state=verified&status=rejected", own)).toEqual([verified])
  expect(await sessionIds("?state=verified&status=verified", own)).toEqual([])
  expect(await sessionIds("?state=expired&status=pending", own)).toEqual([])
  await advanceClock({ seconds: 24 * 3600 + 1 })
  expect(await sessionIds("?state=expired&status=expired", own)).toEqual([sessionId])
  expect(await sessionIds("?state=verified&status=expired", own)).toEqual([])
})

test("the list of a state uses its index, however few sessions it has", async () => {
  const own = await app.key()
  const { sessionId } = await app.startSession(own)
  // A year of other sessions, none of which the list may read.
  await sql`
    insert into attestations overriding system value
    select (jsonb_populate_record(a, jsonb_build_object('id', a.id || n, 'session_id', a.session_id || n,
      'seq', 1000000 + n, 'status', 'rejected'))).*
    from attestations a, generate_series(1, 4000) n where a.session_id = ${sessionId}`
  await sql`analyze attestations`
  for (const state of sessionStates.filter((one) => one !== "rejected")) {
    const plan = await sql<{ "QUERY PLAN": string }[]>`
      explain select id from attestations
      where workspace_id = ${own.workspaceId} ${inSessionState(state, new Date())}
      order by seq desc nulls last limit 51`
    const text = plan.map((line) => line["QUERY PLAN"]).join("\n")
    expect([state, text]).toEqual([state, expect.stringContaining("attestations_session_state")])
    expect(text).not.toContain("Sort")
  }
})

test("pages contain each session once while others are added", async () => {
  const own = await app.key()
  const all: string[] = []
  for (let n = 0; n < 5; n++) all.unshift((await app.startSession(own)).sessionId)
  const first = await list("?limit=2", own)
  await app.startSession(own)
  const second = await list(`?limit=2&cursor=${first.next_cursor}`, own)
  const third = await list(`?limit=2&cursor=${second.next_cursor}`, own)
  const found = [...first.data, ...second.data, ...third.data].map((one) => one.session_id)
  expect(found).toEqual(all)
  expect(third.next_cursor).toBeNull()
})

test.each([
  ["?limit=0", "validation_failed"],
  ["?cursor=x", "validation_failed"],
  ["?state=done", "validation_failed"],
  ["?created_after=yesterday", "validation_failed"],
  ["?created_after=0000-01-01T00:00:00Z", "validation_failed"],
  ["?created_before=0000-12-31T23:59:59Z", "validation_failed"],
  ["?pubkey=x", "invalid_public_key"],
  ["?schema=no_such_schema", "unknown_schema"],
  ["?wallet=x", "validation_failed"],
])("a list asked with %s is 422 %s", async (query, error) => {
  expect(await list(query)).toMatchObject({ error, detail: expect.any(String) })
})

test("a read-only key sees sessions, but nothing that opens one", async () => {
  const { sessionId } = await app.startSession(key)
  const { json } = await get(sessionId)
  const account = { workspaces: { test: key.workspaceId } } as Account
  const reader = await app.key({ account, scopes: ["kyc:read"] })
  const [seen] = (await list("?limit=1", reader)).data
  expect(seen).toEqual({ ...json, session_id: null, session_url: null })
  const mute = await app.key({ account, scopes: ["attestation:read"] })
  expect(await list("", mute)).toMatchObject({ error: "insufficient_scope" })
})

test("for another workspace, a session does not exist", async () => {
  const { sessionId } = await app.startSession(key)
  const { json: mine } = await get(sessionId)
  const stranger = await app.key()
  const theirs = await get(sessionId, stranger)
  const nowhere = await get(newId("sess"), stranger)
  const odd = await get("sess_x", stranger)
  for (const answer of [theirs, nowhere, odd]) {
    expect(answer).toMatchObject({ status: 404, json: { error: "session_not_found" } })
    expect(answer.json.detail).toBe(theirs.json.detail)
    expect(answer.text).not.toContain(sessionId)
  }
  expect((await list("", stranger)).data).toEqual([])
  expect((await list(`?investor=${mine.investor_id}`, stranger)).data).toEqual([])
})
