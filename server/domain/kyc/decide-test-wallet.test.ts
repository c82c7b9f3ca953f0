import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { openClaims } from "#server/domain/attestations/claims.ts"
import type { Address } from "#shared/address.ts"
import { testWallets } from "#shared/test-wallets.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"
import { sandboxAndGeneric } from "#test/vendor/generic.ts"

usesCustomer({ environment: sandboxAndGeneric })

const get = async (path: string, by = key) => (await app.request({ method: "GET", path, key: by.apiKey })).json
const sessionOf = (id: string, by = key) => get(`/kyc/session/${id}`, by)
const approved = "VouchTestApproved11111111111111111111111118" as Address
const resubmit = "VouchTestResubmit11111111111111111111111115" as Address
const inReview = "VouchTestReview1111111111111111111111111113" as Address

const states = {
  approved: "verified",
  rejected: "rejected",
  resubmission_requested: "open",
  in_review: "in_review",
  expired: "expired",
} as const

test.each([...testWallets])("%s needs no browser: a start leads to its decision", async (wallet, wanted) => {
  const { sessionId } = await app.startSession(key, wallet)
  if (wanted.decision === "approved") await app.waitForStatus(key, wallet, "verified")
  const session = await sessionOf(sessionId)
  expect(session.state).toBe(states[wanted.decision])
  const attestation = await get(`/attestation/${session.attestation_id}`)
  const usual = { rejected: "unverifiable", resubmission_requested: "resubmit" } as Record<string, string>
  expect(attestation.public_reason).toBe(wanted.publicReason ?? usual[wanted.decision] ?? null)
  if (wanted.decision !== "approved") return
  const [row] = await sql`select id, claims from attestations where session_id = ${sessionId}`
  expect(openClaims(row!.id, row!.claims)).toEqual(wanted.claims)
})

test("a start that returns the existing session changes nothing, with or without its idempotency key", async () => {
  const by = await app.key()
  const start = (idempotencyKey?: string) =>
    app.request({
      method: "POST",
      path: "/kyc/start",
      key: by.apiKey,
      json: { userPubkey: inReview, schemaId: "kyc_individual_v1" },
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    })
  const first = await start("start-in-review")
  const { decided_at } = await sessionOf(first.json.session_id as string, by)
  expect((await start("start-in-review")).text).toBe(first.text)
  expect((await start()).json).toEqual(first.json)
  expect(await sessionOf(first.json.session_id as string, by)).toMatchObject({
    decided_at,
    state: "in_review",
  })
  const events = await sql`select from webhook_events where workspace_id = ${by.workspaceId}`
  expect(events).toHaveLength(1)
})

test("the next start finishes a session that stopped before its decision", async () => {
  const by = await app.key()
  const { sessionId } = await app.startSession(by, resubmit)
  // As if the server had stopped before the decision.
  await sql`delete from webhook_events where workspace_id = ${by.workspaceId}`
  await sql`
    update attestations set event_at = null, event_rank = null, event_decision = null, public_reason = null
    where workspace_id = ${by.workspaceId}`
  expect(await sessionOf(sessionId, by)).toMatchObject({ state: "open", decided_at: null })
  expect((await app.startSession(by, resubmit)).sessionId).toBe(sessionId)
  expect(await sessionOf(sessionId, by)).toMatchObject({ state: "open", decided_at: expect.any(String) })
})

test("if the schema requires proof of the wallet, a test wallet's approval waits for it", async () => {
  const by = await app.key()
  const json = { wallet_proof: true }
  await app.request({ method: "PATCH", path: "/schema/kyc_individual_v1", key: by.apiKey, json })
  const { sessionId } = await app.startSession(by, approved)
  const session = await sessionOf(sessionId, by)
  expect(session).toMatchObject({ state: "open", status: "pending", decided_at: expect.any(String) })
})

test("in live mode, and with another provider, the address is an ordinary wallet", async () => {
  const live = await app.key({ mode: "live" })
  for (const [by, schema] of [
    [live, "kyc_individual_v1"],
    [key, "accredited_investor_v1"],
  ] as const) {
    const { sessionId } = await app.startSession(by, approved, schema)
    expect(await sessionOf(sessionId, by)).toMatchObject({ state: "open", decided_at: null })
  }
})
