import { expect, test } from "vitest"
import { waitFor } from "#test/fixtures/app.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"
import { sandboxAndGeneric } from "#test/vendor/generic.ts"

usesCustomer({ environment: sandboxAndGeneric })

const decide = (id: string, json: object, by = key, idempotencyKey = "") =>
  app.request({
    method: "POST",
    path: `/test/sessions/${id}/decide`,
    key: by.apiKey,
    json: json as Record<string, unknown>,
    ...(idempotencyKey !== "" && { idempotencyKey }),
  })
const statusOf = async (wallet: string) =>
  (await app.request({ method: "GET", path: `/kyc/status/${wallet}`, key: key.apiKey })).json.status

test("one call finishes a sandbox session, and the wallet is verified with the claims", async () => {
  const { wallet, sessionId } = await app.startSession(key)
  const decision = { decision: "approved", claims: { country: "US", age_over_18: true } }
  const first = await decide(sessionId, decision, key, "decide-1")
  expect(first).toMatchObject({ status: 200, json: { session_id: sessionId, status: "pending" } })
  await waitFor(async () => (await statusOf(wallet)) === "verified", "the wallet to be verified")
  expect((await decide(sessionId, decision, key, "decide-1")).text).toBe(first.text)
  await decide(sessionId, { decision: "rejected" })
  expect(await statusOf(wallet)).toBe("rejected")
})

test("a rejection ends the session with the given public reason", async () => {
  const { sessionId } = await app.startSession(key)
  const rejection = { decision: "rejected", public_reason: "documents_unreadable" }
  const rejected = await decide(sessionId, rejection)
  expect(rejected.json.status).toBe("rejected")
  const path = `/attestation/${rejected.json.attestation_id}`
  const { json } = await app.request({ method: "GET", path, key: key.apiKey })
  expect(json.public_reason).toBe("documents_unreadable")
  expect((await decide(sessionId, { decision: "approved" })).json.status).toBe("rejected")
})

test("live keys, other workspaces' sessions and unknown decisions are refused", async () => {
  const { wallet, sessionId } = await app.startSession(key)
  const live = await app.key({ mode: "live" })
  expect(await decide(sessionId, { decision: "approved" }, live)).toMatchObject({
    status: 403,
    json: { error: "sandbox_only" },
  })
  expect(await decide(sessionId, { decision: "approved" }, await app.key())).toMatchObject({
    status: 404,
    json: { error: "session_not_found" },
  })
  expect((await decide(sessionId, { decision: "yes" })).status).toBe(422)
  expect((await decide(sessionId, { decision: "rejected", public_reason: "dunno" })).status).toBe(422)
  const misspelled = await decide(sessionId, { decision: "approved", claims: { acredited: true } })
  expect(misspelled).toMatchObject({
    status: 422,
    json: { detail: expect.stringMatching(/^claims\.acredited: /) },
  })
  expect(await statusOf(wallet)).toBe("pending")
})

test("a live key is refused for its own sessions too, although the sandbox decides them", async () => {
  const live = await app.key({ mode: "live" })
  const { sessionId } = await app.startSession(live)
  const path = `/kyc/session/${sessionId}`
  expect((await decide(sessionId, { decision: "approved" }, live)).json.error).toBe("sandbox_only")
  const { json } = await app.request({ method: "GET", path, key: live.apiKey })
  expect(json).toMatchObject({ provider: "sandbox", state: "open", decided_at: null })
})

test("a session of another provider is refused in test mode, and stays open", async () => {
  const { sessionId } = await app.startSession(key, undefined, "accredited_investor_v1")
  const refused = await decide(sessionId, { decision: "approved" }, key, "decide-generic")
  expect(refused).toMatchObject({ status: 403, json: { error: "sandbox_only" } })
  expect(refused.json.detail).toContain("decided by generic")
  const path = `/kyc/session/${sessionId}`
  const { json } = await app.request({ method: "GET", path, key: key.apiKey })
  expect(json).toMatchObject({ provider: "generic", state: "open", decided_at: null })
})
