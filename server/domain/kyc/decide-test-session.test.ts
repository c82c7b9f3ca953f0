import { afterAll, beforeAll, expect, test } from "vitest"
import { startTestApp, type TestApp, type TestKey, waitFor } from "#test/app.ts"

let app: TestApp
let key: TestKey

beforeAll(async () => {
  app = await startTestApp()
  key = await app.key()
})
afterAll(() => app.stop())

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

test("a rejection ends the session", async () => {
  const { sessionId } = await app.startSession(key)
  expect((await decide(sessionId, { decision: "rejected" })).json.status).toBe("rejected")
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
  expect(await statusOf(wallet)).toBe("pending")
})
