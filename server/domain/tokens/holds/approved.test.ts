import { describe, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { approve } from "#test/fixtures/approvals.ts"
import { document_sha256, grounds } from "#test/fixtures/grounds.ts"
import {
  type Case,
  checksUnderPolicy,
  entries,
  fund,
  key,
  officer,
  owner,
  requireTwo,
  rest,
  type Sent,
  tokens,
  usesPolicies,
} from "#test/fixtures/policies.ts"
import { app } from "#test/fixtures/uses-app.ts"

usesPolicies()
checksUnderPolicy([
  ["hold_release", "a key", () => heldBy((id) => rest("POST", `/token/hold/${id}/release`))],
  ["hold_release", "a member", () => heldBy(releaseAsMember)],
])

/** A hold of all of a wallet's 10 tokens. */
async function hold() {
  const { wallet } = await app.verifiedWallet(key)
  await tokens.mint(fund, wallet, "10")
  const body = { user_pubkey: wallet, mint_config: fund, amount: "10", ...grounds }
  const { hold_id } = (await tokens.post("/token/holds", body)).json
  const take = async (amount: string) => {
    const { json } = await tokens.post("/token/burn", { ...body, amount, holder_consent: true, holds: [hold_id] })
    if (json.status === "awaiting_approval") await approve(officer, json.approval_id)
  }
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
  const released = (await read()).operation_id
  expect(released).not.toBe(operation_id)
  const { json: approval } = await tokens.get(`/approval/${approvalId}`)
  expect(approval).toMatchObject({ state: "approved", outcome: { operation_id: released } })
  const { json } = await tokens.get(`/token/balance/${wallet}?mint_config=${config}`)
  expect(json).toMatchObject({ amount: "10", available: "10", held: "0" })
})

test("in holder mode, a release that is approved while the token is paused is refused with mint_paused", async () => {
  await requireTwo("hold_release")
  const config = await tokens.config({}, { transfer_mode: "holder" })
  const { wallet } = await app.verifiedWallet(key)
  await tokens.mint(config, wallet, "10")
  const body = { user_pubkey: wallet, mint_config: config, amount: "4", ...grounds }
  const { hold_id } = (await tokens.post("/token/holds", body)).json
  const { approvalId } = await rest("POST", `/token/hold/${hold_id}/release`)
  await tokens.post(`/mint-config/${config}/pause`, {})
  expect((await approve(officer, approvalId!)).status).toBe(200)
  const { json } = await tokens.get(`/approval/${approvalId}`)
  expect(json).toMatchObject({ state: "approved", outcome: { error: "mint_paused" } })
  expect((await tokens.get(`/token/hold/${hold_id}`)).json).toMatchObject({ state: "active", remaining: "4" })
})

describe.each(["hold_execute", "force_transfer"] as const)("under a policy about %s", (action) => {
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

test("a policy about the execution of holds also binds burns and forced transfers that name them", async () => {
  await requireTwo("hold_execute")
  const { wallet, id } = await hold()
  const { wallet: to_pubkey } = await app.verifiedWallet(key)
  const body = { mint_config: fund, amount: "10", ...grounds, holds: [id] }
  const moved = { from_pubkey: wallet, to_pubkey, document_sha256 }
  const asked = await rest("POST", "/token/force-transfer", { ...body, ...moved })
  const burn = await rest("POST", "/token/burn", { ...body, user_pubkey: wallet, holder_consent: true })
  expect([asked.status, burn.status]).toEqual([202, 202])
  const preflight = { kind: "force_transfer", ...body, from_pubkey: wallet, to_pubkey }
  expect((await owner.browser.query("token.formPreflight", preflight)).data).toMatchObject({ approvals_needed: 1 })
  expect((await tokens.get(`/token/hold/${id}`)).json).toMatchObject({ state: "active", remaining: "10" })
  expect((await approve(officer, asked.approvalId!)).data).toMatchObject({
    action: "force_transfer",
    state: "approved",
  })
  await waitFor(async () => (await tokens.get(`/token/hold/${id}`)).json.state === "executed", "the forced transfer")
})
