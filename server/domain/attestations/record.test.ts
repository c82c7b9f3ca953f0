import { beforeAll, expect, test } from "vitest"
import { createAccount } from "#server/domain/onboarding/create-account.ts"
import { newId } from "#server/lib/ids.ts"
import { addDays, addSeconds } from "#server/lib/time.ts"
import { sweep } from "#server/start/housekeeping.ts"
import { allScopes } from "#shared/scopes.ts"
import { newWallet, type TestKey } from "#test/fixtures/app.ts"
import { moveClock, realNow } from "#test/fixtures/clock.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

let key: TestKey
let reader: TestKey

usesApp()
beforeAll(async () => {
  const account = await createAccount({ name: newId("acct"), plan: "free" })
  key = await app.key({ account })
  reader = await app.key({ account, scopes: allScopes.filter((scope) => scope !== "kyc:write") })
})

const read = async (id: string, by = key) =>
  (await app.request({ method: "GET", path: `/attestation/${id}`, key: by.apiKey })).json
const newest = async (wallet: string) =>
  (await app.request({ method: "GET", path: `/attestations?pubkey=${wallet}`, key: key.apiKey })).json.data[0]
const start = async (more: Record<string, unknown> = {}) => {
  const wallet = newWallet()
  const { json } = await app.request({
    method: "POST",
    path: "/kyc/start",
    key: key.apiKey,
    json: { userPubkey: wallet, schemaId: "kyc_individual_v1", ...more },
  })
  return { wallet, sessionId: json.session_id as string, sessionUrl: json.session_url as string }
}
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/
const revoke = (id: string, reason = "Sanctions list match") =>
  app.request({ method: "POST", path: `/attestation/${id}/revoke`, key: key.apiKey, json: { reason } })

test("kyc/start returns exactly a session's id and its address", async () => {
  const { sessionId, sessionUrl } = await start()
  expect(sessionId).toMatch(/^sess_[1-9A-HJ-NP-Za-km-z]{16,22}$/)
  expect(sessionUrl).toBe(`http://localhost:${new URL(app.origin).port}/verify/${sessionId}`)
})

test("a pending record has all its fields, and no on-chain data yet", async () => {
  const { wallet, sessionId } = await start({ externalId: "investor 7 – Zoë 😀" })
  const record = await newest(wallet)
  expect(record).toEqual({
    attestation_id: expect.stringMatching(/^att_[1-9A-HJ-NP-Za-km-z]{16,22}$/),
    status: "pending",
    user_pubkey: wallet,
    wallet_proved_at: null,
    schema: "kyc_individual_v1",
    session_id: sessionId,
    investor_id: expect.stringMatching(/^inv_[1-9A-HJ-NP-Za-km-z]{16,22}$/),
    external_id: "investor 7 – Zoë 😀",
    created_at: expect.stringMatching(TIME),
    decided_at: null,
    decided_by: null,
    issued_at: null,
    expires_at: null,
    revoked_at: null,
    revocation_reason: null,
    public_reason: null,
    onchain_tx: null,
    finalized_at: null,
    onchain: null,
  })
  expect(await read(record.attestation_id)).toEqual(record)
})

test("kyc/status always has its five fields, null until verified", async () => {
  const { wallet } = await start()
  const { json } = await app.request({ method: "GET", path: `/kyc/status/${wallet}`, key: key.apiKey })
  const { attestation_id } = await newest(wallet)
  expect(json).toEqual({
    status: "pending",
    attestation_id,
    schema: "kyc_individual_v1",
    expires_at: null,
    onchain_tx: null,
  })
  expect(Object.keys(json)).toEqual(["status", "attestation_id", "schema", "expires_at", "onchain_tx"])
})

test("a verified record can be checked on chain, and no response contains claims", async () => {
  const { wallet, status } = await app.verifiedWallet(key, newWallet(), { country: "LI", accredited: true })
  const record = await read(status.attestation_id)
  const address = expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/)
  expect(record).toEqual({
    attestation_id: status.attestation_id,
    status: "verified",
    user_pubkey: wallet,
    wallet_proved_at: null,
    schema: "kyc_individual_v1",
    session_id: expect.stringMatching(/^sess_/),
    investor_id: expect.stringMatching(/^inv_[1-9A-HJ-NP-Za-km-z]{16,22}$/),
    external_id: null,
    created_at: expect.stringMatching(TIME),
    decided_at: record.issued_at,
    decided_by: "provider",
    issued_at: expect.stringMatching(TIME),
    expires_at: status.expires_at,
    revoked_at: null,
    revocation_reason: null,
    public_reason: null,
    onchain_tx: status.onchain_tx,
    finalized_at: expect.toBeOneOf([null, expect.any(String)]),
    onchain: {
      cluster: "localnet",
      program: "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb",
      mint: address,
      token_account: address,
      authority: address,
      commitment: expect.stringMatching(/^[\w-]{43}$/),
      salt: expect.stringMatching(/^[\w-]{43}$/),
    },
  })
  expect(Date.parse(record.expires_at) - Date.parse(record.issued_at)).toBe(365 * 86_400_000)
  expect(JSON.stringify(record)).not.toMatch(/LI"|accredited|country|age_over/)
})

test("only keys with kyc:write see the session, which opens the hosted page, in records and lists", async () => {
  const { wallet, sessionId } = await start()
  const { attestation_id } = await newest(wallet)
  expect((await read(attestation_id)).session_id).toBe(sessionId)
  expect((await read(attestation_id, reader)).session_id).toBeNull()
  const list = await app.request({ method: "GET", path: "/attestations?limit=100", key: reader.apiKey })
  expect(list.json.data.length).toBeGreaterThan(2)
  expect(list.text).not.toContain("sess_")
})

test("revoking a pending attestation rejects it; revoking it again returns it unchanged", async () => {
  const { wallet, sessionId } = await start()
  const { attestation_id } = await newest(wallet)
  const first = await revoke(attestation_id)
  expect(first.json).toMatchObject({
    status: "rejected",
    revocation_reason: "Sanctions list match",
    public_reason: "unverifiable",
    issued_at: null,
    onchain: null,
  })
  expect(first.json.revoked_at).toMatch(/Z$/)
  expect(Object.keys(first.json)).toEqual(Object.keys(await read(attestation_id)))
  const later = addSeconds(realNow(), 60)
  await moveClock(later)
  const again = await revoke(attestation_id, "another reason")
  expect(again.text).toBe(first.text)
  expect((await app.webhook({ session_id: sessionId, decision: "approved" })).json.outcome).toBe("ignored")
})

test("revoking a verified attestation keeps its on-chain proof and records time and reason", async () => {
  const { wallet, status } = await app.verifiedWallet(key)
  const verified = await read(status.attestation_id)
  const { json } = await revoke(status.attestation_id, "x".repeat(500))
  const { revoked_at, finalized_at } = json
  expect(json).toEqual({
    ...verified,
    finalized_at,
    status: "rejected",
    revoked_at,
    revocation_reason: "x".repeat(500),
    public_reason: "unverifiable",
  })
  const after = await app.request({ method: "GET", path: `/kyc/status/${wallet}`, key: key.apiKey })
  expect(after.json).toEqual({ ...status, status: "rejected" })
})

test("revoking a rejected or expired attestation returns it unchanged", async () => {
  const rejected = await start()
  await app.webhook({ session_id: rejected.sessionId, decision: "rejected", reason: "Blurred" })
  const record = await newest(rejected.wallet)
  expect(record).toMatchObject({ status: "rejected", revoked_at: null, revocation_reason: "Blurred" })
  expect((await revoke(record.attestation_id)).json).toEqual(record)

  const { status } = await app.verifiedWallet(key)
  const later = addDays(realNow(), 366)
  await moveClock(later)
  const expired = await read(status.attestation_id)
  expect(expired).toMatchObject({ status: "expired", revoked_at: null, onchain_tx: status.onchain_tx })
  expect((await revoke(status.attestation_id)).json).toEqual(expired)
  // The later sweep changes nothing that a client can see.
  await sweep()
  expect(await read(status.attestation_id)).toEqual(expired)
})

test.each([
  ["missing", {}],
  ["empty", { reason: "" }],
  ["of 501 characters", { reason: "x".repeat(501) }],
  ["with a control character", { reason: "a\u0007b" }],
  ["half a character", { reason: "\ud83d" }],
  ["no text", { reason: 1 }],
])("an invalid reason is refused: %s", async (_name, json) => {
  const { wallet } = await start()
  const { attestation_id } = await newest(wallet)
  const path = `/attestation/${attestation_id}/revoke`
  const response = await app.request({ method: "POST", path, key: key.apiKey, json })
  expect(response).toMatchObject({ status: 422, json: { error: "validation_failed" } })
  expect(response.json.detail).toMatch(/^reason: /)
  expect((await newest(wallet)).status).toBe("pending")
})

test("the path names the attestation: a body that also names it is refused", async () => {
  const { wallet } = await start()
  const { attestation_id } = await newest(wallet)
  const path = `/attestation/${attestation_id}/revoke`
  const json = { reason: "x", id: newId("att") }
  const response = await app.request({ method: "POST", path, key: key.apiKey, json })
  expect(response.json.detail).toMatch(/^id: /)
})
