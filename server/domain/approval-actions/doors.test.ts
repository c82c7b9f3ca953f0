import { beforeAll, beforeEach, describe, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { newId } from "#server/lib/ids.ts"
import type { Address } from "#shared/address.ts"
import { type ApprovalAction, allApprovalActions } from "#shared/approvals.ts"
import { newWallet, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { approve, type ProvenMember, provenMember, requireApproval } from "#test/fixtures/approvals.ts"
import { vendorReview } from "#test/fixtures/reviews.ts"
import { type TokenFixture, tokenFixture } from "#test/fixtures/tokens.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

let owner: ProvenMember
let officer: ProvenMember
let second: ProvenMember
let boss: ProvenMember
let key: TestKey
let tokens: TokenFixture
let fund: string

usesApp()
beforeAll(async () => {
  owner = await provenMember(app)
  const { account } = owner
  officer = await provenMember(app, { role: "compliance", account })
  second = await provenMember(app, { role: "compliance", account })
  boss = await provenMember(app, { account })
  key = await app.key({ account })
  tokens = tokenFixture(app, key)
  fund = await tokens.config()
  // As if the owner had created the key and seen its secret.
  await sql`update api_keys set created_by = (select id from users where email = ${owner.email}) where id = ${key.keyId}`
})
beforeEach(() => sql`delete from approval_policies where workspace_id = ${key.workspaceId}`)

/** What a request got: over REST 202 with the approval, in the dashboard a notice with its id. */
type Sent = { status: number; approvalId?: string; error?: string }

async function rest(method: string, path: string, json?: object): Promise<Sent> {
  const { status, json: body, headers } = await app.request({ method, path, key: key.apiKey, ...(json && { json }) })
  if (status === 202) expect(headers.location).toBe(`/v1/approval/${body.approval_id}`)
  return status === 202
    ? { status, approvalId: body.approval_id }
    : { status, ...(body.error && { error: body.error }) }
}

async function page(procedure: string, json: object, { browser } = owner): Promise<Sent> {
  const { status, error } = await browser.mutate(procedure, json)
  if (error?.error !== "awaiting_approval") return { status, ...(error && { error: error.error }) }
  expect(status).toBe(409)
  return { status: 202, approvalId: error.approvalId }
}

type Case = {
  send: () => Promise<Sent>
  /** How often it has happened, from what it leaves behind. */
  effects: () => Promise<number>
  /** Ends what an approval only allows. */
  finish?: (approvalId: string) => Promise<unknown>
  /** Changes what the request is about while it waits. */
  change?: () => Promise<unknown>
}

const entries = async (subject: string, action: string) =>
  (await sql`select from audit_entries where subject = ${subject} and action = ${action}`).length

/** Each act and each way to request it. `prepare` makes a new thing to act on. */
const doors: [action: ApprovalAction, how: string, prepare: () => Promise<Case>][] = [
  ["unpause", "a key", () => pausedBy((id) => rest("POST", `/mint-config/${id}/unpause`))],
  ["unpause", "a member", () => pausedBy((id) => page("mintConfig.unpause", { id }))],
  ["unfreeze", "a key", () => frozenBy((json) => rest("POST", "/token/unfreeze", json))],
  ["unfreeze", "a member", () => frozenBy((json) => page("token.unfreeze", json))],
  ["hold_release", "a key", () => heldBy((id) => rest("POST", `/token/hold/${id}/release`))],
  ["hold_release", "a member", () => heldBy(releaseAsMember)],
  ["config_change", "a key", () => changedBy(({ id, rules }) => rest("PATCH", `/mint-config/${id}`, { rules }))],
  [
    "config_change",
    "a member",
    () => changedBy(({ rules, ...config }) => page("mintConfig.save", { ...config, rules })),
  ],
  ["review_decision", "a member", () => decidedBy()],
  ["key_create", "a member", () => keyMadeBy((name) => page("key.create", { name, scopes: ["kyc:read"] }))],
  ["key_create", "a member who rotates", () => keyRotated()],
  ["session_cancel", "a key", () => endedBy(({ sessionId }) => rest("POST", `/kyc/session/${sessionId}/cancel`, why))],
  ["session_cancel", "a member", () => endedBy(({ sessionId: id }) => page("session.cancel", { id, ...why }))],
  ["attestation_revoke", "a key", () => endedBy(({ id }) => rest("POST", `/attestation/${id}/revoke`, why))],
  ["attestation_revoke", "a member", () => endedBy(({ id }) => page("attestation.revoke", { id, ...why }))],
  ["attestation_revoke_bulk", "a member", () => listedBy(({ id }) => revokeList([id]))],
  ["erase", "a key, of a wallet", () => erasedBy(({ wallet }) => rest("POST", `/wallets/${wallet}/erase`))],
  ["erase", "a key, of an investor", () => erasedBy(({ investor }) => rest("POST", `/investor/${investor}/erase`))],
  ["erase", "a member, of a wallet", () => erasedBy(({ wallet: pubkey }) => page("erasure.wallet", { pubkey }))],
  ["erase", "a member, of an investor", () => erasedBy(({ investor: id }) => page("erasure.investor", { id }))],
]

const why = { reason: "Told us on the phone" }
const revokeList = (ids: string[]) => page("bulkRevocation.start", { attestation_ids: ids, ...why })

type Session = { wallet: Address; sessionId: string; id: string; investor: string }

async function session(wallet?: Address): Promise<Session> {
  const started = await app.startSession(key, wallet)
  const [row] = await sql`select id, investor_id from attestations where session_id = ${started.sessionId}`
  return { ...started, id: row!.id, investor: row!.investor_id }
}
/** The vendor decides: no policy binds it. */
const reject = ({ sessionId }: Session) => app.webhook({ session_id: sessionId, decision: "rejected" })

async function endedBy(send: (of: Session) => Promise<Sent>): Promise<Case> {
  const one = await session()
  return {
    send: () => send(one),
    effects: async () => (await entries(one.id, "session.cancelled")) + (await entries(one.id, "attestation.revoked")),
    change: () => reject(one),
  }
}

/** The requester collects the secret in several tabs, and others try. Only one answer has it. */
async function collect(approvalId: string) {
  const by = (member: ProvenMember) => member.browser.mutate("key.collect", { approval_id: approvalId })
  for (const other of [officer, boss]) {
    const { error } = await by(other)
    expect(["not_requester", "insufficient_scope"]).toContain(error.error)
  }
  const answers = await Promise.all([by(owner), by(owner), by(owner)])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
  const { api_key, key_id } = answers.find(({ status }) => status === 200)!.data
  expect((await app.request({ method: "GET", path: "/key", key: api_key })).json.key_id).toBe(key_id)
  const stored = await sql`select to_jsonb(a)::text as text from approvals a where id = ${approvalId}`
  expect(stored[0]!.text).not.toContain(api_key)
  expect((await tokens.get(`/approval/${approvalId}`)).json.outcome).toEqual({ key_id })
}

async function keyMadeBy(send: (name: string) => Promise<Sent>): Promise<Case> {
  const name = newId("key")
  return {
    send: () => send(name),
    effects: async () => (await sql`select from api_keys where name = ${name}`).length,
    finish: collect,
  }
}

async function keyRotated(): Promise<Case> {
  const { keyId } = await app.key({ account: owner.account })
  return {
    send: () => page("key.rotate", { key_id: keyId, grace_seconds: 0 }),
    effects: () => entries(keyId, "key.rotated"),
    finish: collect,
    change: () => sql`update api_keys set revoked_at = now() where id = ${keyId}`,
  }
}

async function decidedBy(): Promise<Case> {
  const { reviewId, sessionId, wallet } = await vendorReview(app, key)
  const { browser } = owner
  return {
    send: async () => {
      const { version } = (await browser.query("review.get", { review_id: reviewId })).data
      return page("review.decide", { review_id: reviewId, version, decision: "reject", ...why })
    },
    effects: () => entries(reviewId, "review.decided"),
    // The vendor finds something else.
    change: () => app.webhook({ session_id: sessionId, decision: "in_review", reason: `Another finding: ${wallet}` }),
  }
}

async function listedBy(send: (of: Session) => Promise<Sent>): Promise<Case> {
  const one = await session()
  const count = async () => (await sql`select from bulk_revocation_items where attestation_id = ${one.id}`).length
  return { send: () => send(one), effects: count }
}

async function erasedBy(send: (of: Session) => Promise<Sent>): Promise<Case> {
  const one = await session()
  return {
    send: () => send(one),
    effects: async () =>
      (await entries(one.wallet, "wallet.erased")) + (await entries(one.investor, "investor.erased")),
    // The person begins again.
    change: async () => {
      await reject(one)
      await session(one.wallet)
    },
  }
}

async function pausedBy(send: (id: string) => Promise<Sent>): Promise<Case> {
  const id = await tokens.config()
  const pause = () => rest("POST", `/mint-config/${id}/pause`)
  await pause()
  return {
    send: () => send(id),
    effects: () => entries(id, "mint_config.unpaused"),
    // The operator is bound by no policy. The token is then paused again for another reason.
    change: async () => {
      await sql`update mint_configs set paused = false where id = ${id}`
      await pause()
    },
  }
}

const grounds = { reason_code: "court_order", reference: "2026-CV-0417" }

/** A hold of all of a wallet's 10 tokens. */
async function hold() {
  const { wallet } = await app.verifiedWallet(key)
  await tokens.mint(fund, wallet, "10")
  const body = { user_pubkey: wallet, mint_config: fund, amount: "10", ...grounds }
  const { hold_id } = (await tokens.post("/token/holds", body)).json
  const take = (amount: string) =>
    tokens.post("/token/burn", { ...body, amount, holder_consent: true, holds: [hold_id] })
  return { wallet, id: hold_id as string, take }
}

async function heldBy(send: (id: string) => Promise<Sent>): Promise<Case> {
  const { id, take } = await hold()
  return { send: () => send(id), effects: () => entries(id, "hold.released"), change: () => take("1") }
}

/** The dashboard gets the hold, as a key does. */
async function releaseAsMember(id: string): Promise<Sent> {
  const { status, data, error } = await owner.browser.mutate("hold.release", { id })
  if (data?.status === "awaiting_approval") return { status: 202, approvalId: data.approval_id }
  return { status, ...(error && { error: error.error }) }
}

async function frozenBy(send: (json: object) => Promise<Sent>): Promise<Case> {
  const wallet = newWallet()
  const json = { user_pubkey: wallet, mint_config: fund, reason_code: "court_order", reference: "2026-CV-0417" }
  const freeze = () => rest("POST", "/token/freeze", json)
  await freeze()
  return {
    send: () => send(json),
    effects: () => entries(wallet, "wallet.unfrozen"),
    change: async () => {
      await sql`delete from wallet_freezes where wallet = ${wallet}`
      await freeze()
    },
  }
}

async function changedBy(send: (config: { id: string; rules: object }) => Promise<Sent>): Promise<Case> {
  const id = await tokens.config()
  const [row] = await sql`
    select id, name, symbol, decimals, required_schema, transfer_mode from mint_configs where id = ${id}`
  return {
    send: () => send({ ...(row as unknown as { id: string }), rules: { max_holders: 7 } }),
    effects: () => entries(id, "mint_config.changed"),
    change: () => sql`update mint_configs set rules = '{"max_holders": 3}' where id = ${id}`,
  }
}

const requireTwo = (action: ApprovalAction) => requireApproval(owner.account, [action])

async function waiting(prepare: () => Promise<Case>) {
  const one = await prepare()
  const { status, approvalId } = await one.send()
  expect([status, await one.effects()]).toEqual([202, 0])
  const record = (await tokens.get(`/approval/${approvalId}`)).json
  expect(record).toMatchObject({ state: "pending", given: [], outcome: null })
  return { ...one, approvalId: approvalId!, record }
}
const stateOf = async (id: string) => (await tokens.get(`/approval/${id}`)).json.state

describe.each(doors)("%s by %s", (action, _how, prepare) => {
  test("happens at once without a policy", async () => {
    const { send, effects } = await prepare()
    expect([await send(), await effects()]).toEqual([{ status: 200 }, 1])
  })

  test("waits under a policy, for another member than the requester, and happens once", async () => {
    await requireTwo(action)
    const { approvalId, effects, finish, record } = await waiting(prepare)
    expect(record.action).toBe(action)
    expect((await approve(owner, approvalId)).error.error).toBe("second_person_required")
    expect(await effects()).toBe(0)
    const answers = await Promise.all([officer, second, officer].map((by) => approve(by, approvalId)))
    expect(answers.map(({ status, error }) => [status, error?.error]).sort()).toEqual([
      [200, undefined],
      [409, "approval_ended"],
      [409, "approval_ended"],
    ])
    expect((await tokens.get(`/approval/${approvalId}`)).json).toMatchObject({ state: "approved", outcome: {} })
    await finish?.(approvalId)
    expect(await effects()).toBe(1)
  })

  test("does not happen if it is rejected", async () => {
    await requireTwo(action)
    const { approvalId, effects, record } = await waiting(prepare)
    const reject = { approval_id: approvalId, digest: record.digest, reason: "No" }
    expect((await officer.browser.mutate("approval.reject", reject)).status).toBe(200)
    expect((await approve(second, approvalId)).error.error).toBe("approval_ended")
    expect([await stateOf(approvalId), await effects()]).toEqual(["rejected", 0])
  })

  test("is void if what it is about, or the policy, has changed", async () => {
    const policyId = await requireTwo(action)
    const one = await waiting(prepare)
    await one.change?.()
    if (one.change) {
      expect((await approve(officer, one.approvalId)).error.error).toBe("approval_ended")
      expect([await stateOf(one.approvalId), await one.effects()]).toEqual(["void", 0])
    }
    const other = await waiting(prepare)
    await sql`update approval_policies set version = version + 1 where id = ${policyId}`
    expect((await approve(officer, other.approvalId)).error.error).toBe("approval_ended")
    expect([await stateOf(other.approvalId), await other.effects()]).toEqual(["void", 0])
  })
})

/** Actions whose door another test tries. */
const elsewhere: Partial<Record<ApprovalAction, string>> = {
  mint: "approvals.test.ts",
  transfer: "approvals.test.ts",
  burn: "approvals.test.ts",
  force_transfer: "approvals.test.ts",
  hold_execute: "below",
  while_paused: "tokens/while-paused.test.ts",
  policy_change: "policies.test.ts",
}

test("each action of a policy is checked somewhere", () => {
  const tried = new Set([...doors.map(([action]) => action), ...Object.keys(elsewhere)])
  expect([...tried].sort()).toEqual([...allApprovalActions].sort())
})

test("a repeat with the same key gets the same approval, even if the first answer was lost, and acts once", async () => {
  await requireTwo("unfreeze")
  const json = { user_pubkey: newWallet(), mint_config: fund, reason_code: "other", reference: "r" }
  await rest("POST", "/token/freeze", json)
  const idempotencyKey = `unfreeze-${json.user_pubkey}`
  const send = () => app.request({ method: "POST", path: "/token/unfreeze", key: key.apiKey, json, idempotencyKey })
  const first = await send()
  expect(first.status).toBe(202)
  expect((await send()).text).toBe(first.text)
  await sql`update idempotency_records set status = null, body = null where idempotency_key = ${idempotencyKey}`
  expect(await send()).toMatchObject({ status: 202, json: { approval_id: first.json.approval_id } })
  expect((await approve(officer, first.json.approval_id)).status).toBe(200)
  await sql`update idempotency_records set status = null, body = null where idempotency_key = ${idempotencyKey}`
  expect(await send()).toMatchObject({ status: 202, json: { state: "approved" } })
  expect(await sql`select from approvals where subject = ${json.user_pubkey}`).toHaveLength(1)
  const again = { "idempotency-key": `page-${json.user_pubkey}` }
  await rest("POST", "/token/freeze", json)
  for (const _click of [1, 2])
    expect((await owner.browser.mutate("token.unfreeze", json, again)).error.error).toBe("awaiting_approval")
  expect(await sql`select from approvals where subject = ${json.user_pubkey}`).toHaveLength(2)
})

test("a policy about one token binds the lifting of a freeze for every token, and no other token's", async () => {
  await requireApproval(owner.account, ["unfreeze"], { mint_config: fund })
  const wallet = newWallet()
  const about = { user_pubkey: wallet, reason_code: "other", reference: "r" }
  await rest("POST", "/token/freeze", about)
  expect(await rest("POST", "/token/unfreeze", about)).toMatchObject({ status: 202 })
  const other = { ...about, mint_config: await tokens.config() }
  await rest("POST", "/token/freeze", other)
  expect(await rest("POST", "/token/unfreeze", other)).toEqual({ status: 200 })
})

test("a verified wallet can be revoked alone, by itself or in a list, and a pending one in neither", async () => {
  await requireApproval(owner.account, ["attestation_revoke"])
  const [alone, listed] = await Promise.all([app.verifiedWallet(key), app.verifiedWallet(key)])
  const { attestation_id } = alone.status
  expect(await rest("POST", `/attestation/${attestation_id}/revoke`, why)).toEqual({ status: 200 })
  expect(await revokeList([listed.status.attestation_id])).toEqual({ status: 200 })
  const { id } = await session()
  expect(await rest("POST", `/attestation/${id}/revoke`, why)).toMatchObject({ status: 202 })
  expect(await revokeList([id])).toMatchObject({ status: 202 })
})

test("an erasure empties the reasons in requests, which the audit log never has", async () => {
  await requireApproval(owner.account, ["session_cancel", "attestation_revoke", "attestation_revoke_bulk"])
  const one = await session()
  const asked = [
    await rest("POST", `/kyc/session/${one.sessionId}/cancel`, why),
    await rest("POST", `/attestation/${one.id}/revoke`, why),
    await revokeList([one.id]),
  ]
  const requests = async () =>
    JSON.stringify(
      await sql`select request from approvals where subject = ${one.id}
    or action = 'attestation_revoke_bulk' and request->'attestation_ids' ? ${one.id}`,
    )
  expect((await requests()).split(why.reason)).toHaveLength(4)
  expect(await rest("POST", `/wallets/${one.wallet}/erase`)).toEqual({ status: 200 })
  expect(await requests()).not.toContain(why.reason)
  const kept = await sql`select detail from audit_entries where workspace_id = ${key.workspaceId}`
  expect(JSON.stringify(kept)).not.toContain(why.reason)
  for (const { approvalId } of asked) expect((await approve(officer, approvalId!)).error.error).toBe("approval_ended")
})

test("a list that was approved is revoked for the member who asked for it", async () => {
  await requireApproval(owner.account, ["attestation_revoke_bulk"])
  const ids = (await Promise.all([session(), session()])).map(({ id }) => id)
  const { approvalId } = await revokeList(ids)
  expect((await approve(officer, approvalId!)).status).toBe(200)
  const isDone = async () =>
    (await sql`select from attestations where id = any(${ids}) and status = 'rejected'`).length === 2
  await waitFor(isDone, "the list to end")
  const [list] =
    await sql`select author_name from bulk_revocations b join approvals a on a.subject = b.id where a.id = ${approvalId!}`
  expect(list!.author_name).toBe("The owner")
})

test("an approved key is collected within a week, and with the permissions that its requester still has", async () => {
  await requireTwo("key_create")
  const developer = await provenMember(app, { role: "developer", account: owner.account })
  const ask = async () => {
    const { approvalId } = await page("key.create", { name: newId("key"), scopes: ["kyc:read"] }, developer)
    expect((await approve(officer, approvalId!)).status).toBe(200)
    return () => developer.browser.mutate("key.collect", { approval_id: approvalId })
  }
  const [demoted, late] = [await ask(), await ask()]
  const user_id = (await developer.browser.query("me.get")).data.user.id
  await owner.browser.mutate("member.changeRole", { user_id, role: "viewer" })
  expect((await demoted()).error.error).toBe("insufficient_scope")
  await owner.browser.mutate("member.changeRole", { user_id, role: "developer" })
  expect((await demoted()).status).toBe(200)
  await sql`update approvals set ended_at = ended_at - interval '8 days' where action = 'key_create'`
  expect((await late()).error.error).toBe("approval_ended")
})

test("a release that waits answers with the hold, which still binds, and a repeat says what came of it", async () => {
  await requireTwo("hold_release")
  const { wallet, id } = await hold()
  const send = () =>
    app.request({ method: "POST", path: `/token/hold/${id}/release`, key: key.apiKey, idempotencyKey: `release-${id}` })
  const forget = () =>
    sql`update idempotency_records set status = null, body = null where idempotency_key = ${`release-${id}`}`
  const first = await send()
  const { approval_id } = first.json
  const waits = { hold_id: id, state: "active", remaining: "10", status: "awaiting_approval", approval_id }
  expect(first).toMatchObject({ status: 202, json: waits, headers: { location: `/v1/approval/${approval_id}` } })
  expect((await tokens.get(`/approval/${approval_id}`)).json).toMatchObject({
    action: "hold_release",
    subject: id,
    request: { hold_id: id, user_pubkey: wallet, mint_config: fund, amount: "10" },
  })
  await forget()
  expect((await send()).json).toMatchObject(waits)
  expect((await approve(officer, approval_id)).status).toBe(200)
  await forget()
  expect(await send()).toMatchObject({ status: 200, json: { state: "released", status: "confirmed", approval_id } })

  const { id: kept } = await hold()
  const path = `/token/hold/${kept}/release`
  const asked = await app.request({ method: "POST", path, key: key.apiKey, idempotencyKey: kept })
  const approval = (await tokens.get(`/approval/${asked.json.approval_id}`)).json
  const rejection = { approval_id: approval.approval_id, digest: approval.digest, reason: "No" }
  expect((await officer.browser.mutate("approval.reject", rejection)).status).toBe(200)
  await sql`update idempotency_records set status = null, body = null where idempotency_key = ${kept}`
  const again = await app.request({ method: "POST", path, key: key.apiKey, idempotencyKey: kept })
  expect([again.status, again.json.error]).toEqual([403, "approval_rejected"])
})

test("in holder mode, an approved release is an operation", async () => {
  await requireTwo("hold_release")
  const config = await tokens.config({}, { transfer_mode: "holder" })
  const { wallet } = await app.verifiedWallet(key)
  await tokens.mint(config, wallet, "10")
  const placed = await tokens.post("/token/holds", {
    user_pubkey: wallet,
    mint_config: config,
    amount: "4",
    ...grounds,
  })
  const { hold_id, operation_id } = placed.json
  const { approvalId } = await rest("POST", `/token/hold/${hold_id}/release`)
  expect((await approve(officer, approvalId!)).status).toBe(200)
  const read = async () => (await tokens.get(`/token/hold/${hold_id}`)).json
  await waitFor(async () => (await read()).state === "released", "the release")
  expect((await read()).operation_id).not.toBe(operation_id)
  const { json } = await tokens.get(`/token/balance/${wallet}?mint_config=${config}`)
  expect(json).toMatchObject({ amount: "10", available: "10", held: "0" })
})

describe.each(["hold_execute", "force_transfer"] as const)("under a policy about %s", (action) => {
  const document_sha256 = "n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg"

  test("a hold is executed once another member approves it", async () => {
    await requireTwo(action)
    const { id } = await hold()
    const { wallet: to_pubkey } = await app.verifiedWallet(key)
    const json = { to_pubkey, document_sha256 }
    const send = () =>
      app.request({ method: "POST", path: `/token/hold/${id}/execute`, key: key.apiKey, json, idempotencyKey: id })
    const asked = await send()
    const { approval_id, operation_id } = asked.json
    expect([asked.status, asked.headers.location]).toEqual([202, `/v1/approval/${approval_id}`])
    expect(asked.json).toMatchObject({ hold_id: id, state: "active", status: "awaiting_approval" })
    expect((await tokens.get(`/approval/${approval_id}`)).json).toMatchObject({
      action: "hold_execute",
      request: { hold_id: id, amount: "10", to_pubkey, ...grounds },
    })
    expect((await send()).json.approval_id).toBe(approval_id)
    expect((await tokens.get(`/token/operation/${operation_id}`)).json).toMatchObject({
      kind: "force_transfer",
      hold_id: id,
    })
    expect((await tokens.get(`/token/hold/${id}`)).json).toMatchObject({ state: "active", remaining: "10" })
    const { data } = await officer.browser.query("approval.detail", { id: approval_id })
    expect(data.preflight.answer).toMatchObject({ status: 200 })
    expect((await approve(owner, approval_id)).error.error).toBe("second_person_required")
    expect((await approve(officer, approval_id)).status).toBe(200)
    await waitFor(async () => (await tokens.get(`/token/hold/${id}`)).json.state === "executed", "the execution")
    expect(await tokens.onChain(fund, to_pubkey)).toBe(10n)
  })

  test("an execution is refused once approved if less is held at that point", async () => {
    await requireTwo(action)
    const { id, take } = await hold()
    const { wallet: to_pubkey } = await app.verifiedWallet(key)
    const { approvalId } = await rest("POST", `/token/hold/${id}/execute`, { to_pubkey, document_sha256 })
    await take("1")
    await approve(officer, approvalId!)
    const { json } = await tokens.get(`/approval/${approvalId}`)
    expect(json).toMatchObject({ state: "approved", outcome: { error: "hold_ended" } })
    expect((await tokens.get(`/token/hold/${id}`)).json).toMatchObject({ state: "active", remaining: "9" })
  })
})
