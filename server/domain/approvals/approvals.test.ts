import { afterAll, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { newWallet, startTestApp, type TestApp, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { approve, type ProvenMember, provenMember, proveSecondFactor } from "#test/fixtures/approvals.ts"
import { advanceClock } from "#test/fixtures/clock.ts"
import { type ForcedTransfers, forcedTransfers } from "#test/fixtures/forced-transfers.ts"
import { document_sha256 } from "#test/fixtures/grounds.ts"
import { member } from "#test/fixtures/people.ts"
import { type TokenFixture, tokenFixture } from "#test/fixtures/tokens.ts"

let app: TestApp
let fixture: ForcedTransfers
let owner: ProvenMember
let officer: ProvenMember
let second: ProvenMember
let key: TestKey
let tokens: TokenFixture
let config: string
let holder: string
let receiver: string

beforeAll(async () => {
  app = await startTestApp()
  fixture = await forcedTransfers(app)
  ;({ owner, officer, second, key, tokens, config, holder, receiver } = fixture)
})
afterAll(() => app.stop())

const read = (id: string) => tokens.get(`/approval/${id}`)
const operation = (id: string) => tokens.get(`/token/operation/${id}`)

const rowOf = async (id: string) => (await sql`select * from approvals where id = ${id}`)[0]!
const operationsOf = (id: string) => sql`select status from operations where id = ${id}`
const holdings = async () =>
  (await sql`select balance, outgoing from holdings where mint_config = ${config} and wallet = ${holder}`)[0]!

test("a request under a policy answers 202, reserves nothing, and happens once approved", async () => {
  const before = await holdings()
  const response = await fixture.force("5")
  expect(response.status).toBe(202)
  const { approval_id, operation_id } = response.json
  expect(response.headers.location).toBe(`/v1/approval/${approval_id}`)
  expect(response.json).toMatchObject({ kind: "force_transfer", status: "awaiting_approval", amount: "5", mint: null })
  expect((await operation(operation_id)).json).toEqual(response.json)
  expect(await operationsOf(operation_id)).toHaveLength(0)
  expect(await holdings()).toEqual(before)
  const pending = (await read(approval_id)).json
  expect(pending).toMatchObject({ state: "pending", action: "force_transfer", needed: 1, given: [], outcome: null })
  expect(pending.request).toMatchObject({ from_pubkey: holder, amount: "5", document_sha256 })

  const { status, data, error } = await approve(officer, approval_id)
  expect({ status, error }).toEqual({ status: 200, error: undefined })
  expect(data).toMatchObject({ state: "approved", given: [{ by: "The compliance" }], outcome: { operation_id } })
  await waitFor(async () => (await operation(operation_id)).json.status === "confirmed", "the transfer")
  expect((await operation(operation_id)).json).toMatchObject({ approval_id, reference: "2026-CV-0417" })
  expect(await tokens.onChain(config, receiver)).toBe(5n)
  const trail = await sql`
    select action, actor_name, detail from audit_entries where subject = ${operation_id} order by seq`
  expect(trail.map(({ action }) => action)).toEqual([
    "approval.requested",
    "approval.approved",
    "token.force_transfer_requested",
    "token.force_transfer_confirmed",
  ])
  expect(trail[1]).toMatchObject({
    actor_name: "The compliance",
    detail: { requested_by: (await rowOf(approval_id)).requester.name },
  })
})

test("the amount of an operation that waits has no trailing zeros, like that of one that has begun", async () => {
  const mint_config = await tokens.config({}, { decimals: 2 })
  const policyId = await fixture.policy({ actions: ["mint"], mint_config })
  const { json } = await tokens.mint(mint_config, holder, "2.50")
  expect(json).toMatchObject({ status: "awaiting_approval", amount: "2.5" })
  expect((await operation(json.operation_id)).json.amount).toBe("2.5")
  expect((await read(json.approval_id)).json.request.amount).toBe("2.50")
  await approve(officer, json.approval_id)
  expect((await operation(json.operation_id)).json.amount).toBe("2.5")
  await sql`delete from approval_policies where id = ${policyId}`
})

test("a repeat with the same key joins the approval, and then the operation", async () => {
  const idempotency = { idempotencyKey: "force-once" }
  const first = await fixture.force("1", idempotency)
  const again = await fixture.force("1", idempotency)
  expect([first.status, again.status]).toEqual([202, 202])
  expect(again.json).toEqual(first.json)
  expect(again.headers.location).toBe(first.headers.location)
  // The response is lost: the key still leads to the same request.
  await sql`update idempotency_records set status = null, body = null where idempotency_key = 'force-once'`
  expect((await fixture.force("1", idempotency)).json).toEqual(first.json)
  await sql`update idempotency_records set status = null, body = null where idempotency_key = 'force-once'`
  expect((await approve(officer, first.json.approval_id)).status).toBe(200)
  const joined = await fixture.force("1", idempotency)
  expect([joined.status, joined.json.operation_id]).toEqual([200, first.json.operation_id])
})

test("a rejected, a withdrawn and an expired request come to nothing, and end once", async () => {
  const [rejected, withdrawn, expired] = [await fixture.asked(), await fixture.asked(), await fixture.asked()]
  const { digest } = await rowOf(rejected.approvalId)
  const reject = { approval_id: rejected.approvalId, digest, reason: "Wrong wallet" }
  expect((await officer.browser.mutate("approval.reject", reject)).status).toBe(200)
  expect((await operation(rejected.operationId)).json).toMatchObject({
    status: "failed",
    error: { error: "approval_rejected", detail: "The compliance rejected this request: Wrong wallet" },
  })
  const withdraw = () => tokens.post(`/approval/${withdrawn.approvalId}/withdraw`, {})
  expect((await withdraw()).json).toMatchObject({ state: "withdrawn" })
  expect((await withdraw()).status).toBe(200)
  const other = await app.key({ account: owner.account })
  const foreign = { method: "POST", path: `/approval/${expired.approvalId}/withdraw`, key: other.apiKey, json: {} }
  expect((await app.request(foreign)).json.error).toBe("not_requester")
  await sql`update approvals set expires_at = now() where id = ${expired.approvalId}`
  expect((await read(expired.approvalId)).json.state).toBe("expired")
  for (const { approvalId, operationId } of [rejected, withdrawn, expired]) {
    expect((await approve(second, approvalId)).error).toMatchObject({ error: "approval_ended", httpStatus: 409 })
    expect((await operation(operationId)).json.status).toBe("failed")
    expect(await operationsOf(operationId)).toHaveLength(0)
  }
  await waitFor(async () => (await rowOf(expired.approvalId)).state === "expired", "the sweep")
})

test("an approval needs a second factor used in the last five minutes", async () => {
  const { approvalId } = await fixture.asked()
  await sql`
    update user_sessions set two_factor_at = now() - interval '6 minutes'
    where user_id = (select id from users where email = ${officer.email})`
  expect((await approve(officer, approvalId)).error).toMatchObject({ error: "second_factor_required" })
  await sql`
    update user_sessions set two_factor_at = null
    where user_id = (select id from users where email = ${officer.email})`
  expect((await approve(officer, approvalId)).error.error).toBe("second_factor_required")
  await proveSecondFactor(officer)
  expect((await approve(officer, approvalId)).status).toBe(200)
})

test("rules run again when it is approved, and their refusal is the outcome", async () => {
  const { approvalId, operationId } = await fixture.asked("2")
  await tokens.post(`/mint-config/${config}/pause`, {})
  expect((await approve(officer, approvalId)).data).toMatchObject({
    state: "approved",
    outcome: { error: "mint_paused" },
  })
  await tokens.post(`/mint-config/${config}/unpause`, {})
  expect((await operation(operationId)).json).toMatchObject({ status: "failed", error: { error: "mint_paused" } })
  expect(await operationsOf(operationId)).toHaveLength(0)
  expect((await approve(second, approvalId)).error.error).toBe("approval_ended")
})

test("a request and its end are events, which name it and nothing that was requested", async () => {
  const [approved, refused, rejected, expired] = [
    await fixture.asked(),
    await fixture.asked(),
    await fixture.asked(),
    await fixture.asked(),
  ]
  await sql`update approvals set expires_at = now() where id = ${expired.approvalId}`
  await approve(officer, approved.approvalId)
  await tokens.post(`/mint-config/${config}/pause`, {})
  await approve(officer, refused.approvalId)
  await tokens.post(`/mint-config/${config}/unpause`, {})
  const { digest } = await rowOf(rejected.approvalId)
  await officer.browser.mutate("approval.reject", { approval_id: rejected.approvalId, digest, reason: "private" })
  const of = ({ approvalId }: { approvalId: string }) =>
    waitFor(async () => {
      const { json } = await tokens.get("/events?limit=1000")
      const events = json.data.filter(({ data }: { data: object }) => Object.values(data).includes(approvalId))
      return events.length > 1 && events
    }, "two events")
  const about = ({ approvalId, operationId }: { approvalId: string; operationId: string }) => ({
    ...{ approval_id: approvalId, action: "force_transfer", mint_config: config, operation_id: operationId },
  })
  for (const [one, state, error] of [
    [approved, "approved", null],
    [refused, "approved", "mint_paused"],
    [rejected, "rejected", null],
    [expired, "expired", null],
  ] as const)
    expect((await of(one)).map(({ type, data }: { type: string; data: object }) => [type, data])).toEqual([
      ["approval.requested", { ...about(one), state: "pending", error: null }],
      ["approval.decided", { ...about(one), state, error }],
    ])
})

test("a request becomes void if the token's rules change, or the key that made it is revoked", async () => {
  const changed = await fixture.asked()
  const patch = {
    method: "PATCH",
    path: `/mint-config/${config}`,
    key: key.apiKey,
    json: { rules: { max_holders: 50 } },
  }
  expect((await app.request(patch)).status).toBe(200)
  expect((await approve(officer, changed.approvalId)).error).toMatchObject({ error: "approval_ended" })
  expect((await read(changed.approvalId)).json.state).toBe("void")
  expect(await operationsOf(changed.operationId)).toHaveLength(0)

  const other = await app.key({ account: owner.account })
  const json = { from_pubkey: holder, to_pubkey: receiver, mint_config: config, amount: "1", reason_code: "tax" }
  const sent = { ...json, reference: "x", document_sha256 }
  const path = "/token/force-transfer"
  const { json: record } = await app.request({ method: "POST", path, key: other.apiKey, json: sent })
  await owner.browser.mutate("key.revoke", { key_id: other.keyId })
  expect((await approve(officer, record.approval_id)).error.error).toBe("approval_ended")
  expect((await read(record.approval_id)).json.state).toBe("void")
})

test("requests are listed by the id of who made them, which their record has", async () => {
  const { approvalId } = await fixture.asked()
  const { requester_id, requested_by } = (await read(approvalId)).json
  expect([requester_id, requested_by]).toEqual([key.keyId, expect.any(String)])
  const idsOf = async (id: string) =>
    (await tokens.get(`/approvals?limit=100&requested_by=${id}`)).json.data.map(
      (one: { approval_id: string }) => one.approval_id,
    )
  expect(await idsOf(requester_id)).toContain(approvalId)
  expect(await idsOf((await app.key({ account: owner.account })).keyId)).toEqual([])
  const minted = { user_pubkey: holder, mint_config: config, amount: "500" }
  await fixture.policy({ actions: ["mint"], mint_config: config, min_amount: "500" })
  const { data } = await owner.browser.mutate("token.mint", minted)
  const own = (await read(data.approval_id)).json
  expect(await idsOf(own.requester_id)).toEqual([data.approval_id])
})

test("a burn's operation says whether the holder agreed, while it waits and afterwards", async () => {
  await fixture.policy({ actions: ["burn"], mint_config: config, min_amount: "3" })
  const burn = (amount: string, holder_consent: boolean) =>
    tokens.post("/token/burn", {
      ...{ user_pubkey: holder, mint_config: config, amount, holder_consent, document_sha256 },
      ...{ reason_code: "redemption", reference: "r" },
    })
  expect((await burn("1", false)).json).toMatchObject({ status: "confirmed", holder_consent: false })
  const { json } = await burn("3", true)
  expect(json).toMatchObject({ status: "awaiting_approval", holder_consent: true })
  await approve(officer, json.approval_id)
  expect((await operation(json.operation_id)).json.holder_consent).toBe(true)
  expect((await tokens.mint(config, holder, "1")).json.holder_consent).toBeNull()
})

test("a developer and a viewer cannot approve, nor can a member of another account", async () => {
  const { approvalId } = await fixture.asked()
  const { account } = owner
  for (const role of ["developer", "viewer"] as const) {
    const one = await provenMember(app, { role, account })
    expect((await approve(one, approvalId)).error.error).toBe("insufficient_scope")
  }
  const stranger = await provenMember(app)
  expect((await approve(stranger, approvalId)).error.error).toBe("approval_not_found")
  expect(
    (await app.request({ method: "GET", path: `/approval/${approvalId}`, key: (await app.key()).apiKey })).status,
  ).toBe(404)
})

test("mints and transfers need approval from an amount on, and for the policy's token", async () => {
  const other = await tokens.config()
  await fixture.policy({ actions: ["mint", "transfer"], mint_config: other, min_amount: "100" })
  const [wallet, receiving] = await tokens.wallets(2)
  expect((await tokens.mint(other, wallet, "99")).status).toBe(200)
  expect((await tokens.mint(config, wallet, "100")).status).toBe(200)
  const { status, json } = await tokens.mint(other, wallet, "100")
  expect([status, json.status]).toEqual([202, "awaiting_approval"])
  expect((await approve(owner, json.approval_id)).status).toBe(200)
  await waitFor(async () => (await operation(json.operation_id)).json.status === "confirmed", "the mint")
  expect(await tokens.onChain(other, wallet)).toBe(199n)
  expect((await tokens.transfer(other, wallet, receiving, "99")).status).toBe(200)
  const moved = await tokens.transfer(other, wallet, receiving, "100")
  expect([moved.status, moved.json.status]).toEqual([202, "awaiting_approval"])
  expect((await approve(owner, moved.json.approval_id)).status).toBe(200)
  await waitFor(async () => (await tokens.onChain(other, receiving)) === 199n, "the transfer")
})

test("a refused request asks no one", async () => {
  const { status, json } = await tokens.post("/token/force-transfer", {
    ...{ from_pubkey: holder, to_pubkey: newWallet(), mint_config: config, amount: "1" },
    ...{ reason_code: "court_order", reference: "x", document_sha256 },
  })
  expect([status, json.error]).toEqual([403, "wallet_not_verified"])
})

test("in a live workspace, forced acts need approval without a policy, and too few members refuse them", async () => {
  const boss = await provenMember(app, { mode: "live" })
  const live = await app.key({ account: boss.account, mode: "live" })
  const fund = tokenFixture(app, live)
  const id = await fund.config()
  const wallet = (await app.verifiedWallet(live)).wallet
  expect((await fund.mint(id, wallet, "10")).status).toBe(200)
  const burn = (more: object) =>
    fund.post("/token/burn", {
      ...{ user_pubkey: wallet, mint_config: id, amount: "1", reason_code: "redemption", reference: "r" },
      ...more,
    })
  expect((await burn({ holder_consent: true })).status).toBe(200)
  const own = await boss.browser.mutate("key.create", { name: "Own", scopes: ["token:burn", "token:read"] })
  const json = { user_pubkey: wallet, mint_config: id, amount: "1", reason_code: "other", reference: "r" }
  const forced = { ...json, holder_consent: false, document_sha256 }
  const alone = await app.request({ method: "POST", path: "/token/burn", key: own.data.api_key, json: forced })
  expect([alone.status, alone.json.error]).toEqual([403, "approver_missing"])
  await member(app, { role: "compliance", account: boss.account, mode: "live" })
  const waiting = await app.request({ method: "POST", path: "/token/burn", key: own.data.api_key, json: forced })
  expect([waiting.status, waiting.json.status]).toEqual([202, "awaiting_approval"])
  expect((await fund.get(`/approval/${waiting.json.approval_id}`)).json.policy_id).toBeNull()
})

test("an approval that waits expires by the clock", async () => {
  const { approvalId } = await fixture.asked()
  await advanceClock({ days: 4 })
  expect((await read(approvalId)).json.state).toBe("expired")
})
