import { beforeEach, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { approve, requireApproval } from "#test/fixtures/approvals.ts"
import { boss, fund, key, officer, owner, requireTwo, tokens, usesPolicies } from "#test/fixtures/policies.ts"
import { recoveryFixture } from "#test/fixtures/recoveries.ts"
import { app } from "#test/fixtures/uses-app.ts"

usesPolicies()

const recoveries = () => recoveryFixture(app, key)

beforeEach(async () => {
  await requireTwo("recovery")
})

/** A recovery that waits for approval. Its wallet has 5 tokens. */
async function asked() {
  const person = await recoveries().person()
  expect((await tokens.mint(fund, person.lost, 5)).status).toBe(200)
  const about = { lost_wallet: person.lost, new_wallet: person.fresh }
  const { status, json } = await recoveries().request(person.investor, about)
  expect([status, json]).toMatchObject([202, { state: "awaiting_approval", approval_id: expect.any(String) }])
  return { ...person, about, id: json.recovery_id as string, approvalId: json.approval_id as string }
}

const rejected = (approvalId: string, digest: string) =>
  officer.browser.mutate("approval.reject", { approval_id: approvalId, digest, reason: "Not their signature" })

test("the lost wallet is barred while the recovery waits, and its tokens move once another member approves", async () => {
  const { id, approvalId, lost, fresh } = await asked()
  expect((await tokens.transfer(fund, lost, fresh, 1)).json.error).toBe("wallet_barred")
  expect((await tokens.get(`/kyc/status/${lost}`)).json.status).toBe("verified")
  expect((await approve(owner, approvalId)).error.error).toBe("second_person_required")
  const answers = await Promise.all([officer, boss, officer].map((by) => approve(by, approvalId)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
  expect(await recoveries().untilEnded(id)).toMatchObject({ state: "completed", approval_id: approvalId })
  expect([await tokens.onChain(fund, lost), await tokens.onChain(fund, fresh)]).toEqual([0n, 5n])
  const moved = await sql`select from operations where payload ->> 'recovery_id' = ${id}`
  expect(moved).toHaveLength(1)
})

test("a rejected recovery moves nothing and keeps the bar, which a member can lift", async () => {
  const { id, investor, about, approvalId, lost } = await asked()
  const { json } = await tokens.get(`/approval/${approvalId}`)
  expect((await rejected(approvalId, json.digest)).status).toBe(200)
  const detail = expect.stringContaining("Not their signature")
  const ended = { state: "rejected", barred_since: expect.any(String), error: { error: "approval_rejected", detail } }
  expect(await recoveries().get(id)).toMatchObject(ended)
  expect((await tokens.mint(fund, lost, 1)).json.error).toBe("wallet_barred")
  const again = await recoveries().request(investor, about)
  expect([again.status, again.json.state]).toEqual([202, "awaiting_approval"])
  expect(again.json.recovery_id).not.toBe(id)
  for (const one of [again.json.recovery_id, id])
    expect((await tokens.post(`/recovery/${one}/cancel`, {})).json).toMatchObject({
      state: "rejected",
      barred_since: null,
    })
  expect((await tokens.mint(fund, lost, 1)).status).toBe(200)
})

test("cancelling a recovery ends its request, which can no longer be approved", async () => {
  const { id, approvalId, lost } = await asked()
  expect((await tokens.post(`/recovery/${id}/cancel`, {})).json.state).toBe("rejected")
  expect((await approve(officer, approvalId)).error.error).toBe("approval_ended")
  expect((await tokens.get(`/approval/${approvalId}`)).json.state).toBe("void")
  expect(await tokens.onChain(fund, lost)).toBe(5n)
})

test("what a recovery needs is checked again when it is approved", async () => {
  const { id, approvalId, fresh, lost } = await asked()
  const { json } = await tokens.get(`/attestations?pubkey=${fresh}`)
  await tokens.post(`/attestation/${json.data[0].attestation_id}/revoke`, { reason: "Wrong document" })
  expect((await approve(officer, approvalId)).status).toBe(200)
  const failed = await recoveries().get(id)
  expect(failed).toMatchObject({ state: "failed", error: { error: "recovery_not_possible" } })
  expect((await tokens.get(`/approval/${approvalId}`)).json).toMatchObject({
    outcome: { error: "recovery_not_possible" },
  })
  expect(await tokens.onChain(fund, lost)).toBe(5n)
  expect((await tokens.mint(fund, lost, 1)).json.error).toBe("wallet_barred")
  // Nothing has begun, so the wallet may turn out not to be lost.
  const cancelled = await tokens.post(`/recovery/${id}/cancel`, {})
  expect(cancelled.json).toMatchObject({
    state: "failed",
    barred_since: null,
    error: { error: "recovery_not_possible" },
  })
  expect((await tokens.mint(fund, lost, 1)).status).toBe(200)
})

test("a policy about forced transfers of a token binds a recovery, too", async () => {
  await sql`delete from approval_policies where workspace_id = ${key.workspaceId}`
  await requireApproval(owner.account, ["force_transfer"], { mint_config: fund })
  await asked()
})

test("barring a wallet leaves a review to the members who must decide it", async () => {
  await requireTwo("review_decision")
  const person = await recoveries().person()
  const json = { userPubkey: person.lost, schemaId: "kyc_individual_v1", externalId: person.externalId }
  const { json: session } = await app.request({ method: "POST", path: "/kyc/start", key: key.apiKey, json })
  await app.webhook({ session_id: session.session_id, decision: "in_review" })
  const [attestation] = await sql`select id from attestations where session_id = ${session.session_id}`
  expect((await recoveries().request(person.investor, { lost_wallet: person.lost })).status).toBe(200)
  const [review] = await sql`select state from reviews where attestation_id = ${attestation!.id}`
  expect(review).toEqual({ state: "open" })
  await app.webhook({ session_id: session.session_id, decision: "approved", claims: { country: "US" } })
  const [ended] = await sql`select status, reason from attestations where id = ${attestation!.id}`
  expect(ended).toEqual({ status: "rejected", reason: "The wallet was reported as lost." })
})

test("a wallet can be barred while a recovery without a bar waits", async () => {
  const { investor, lost, fresh } = await recoveries().person()
  await tokens.mint(fund, lost, 5)
  const about = { lost_wallet: lost, new_wallet: fresh, bar_now: false }
  const { json } = await recoveries().request(investor, about)
  expect(json).toMatchObject({ state: "awaiting_approval", barred_since: null })
  const barred = await recoveries().request(investor, { lost_wallet: lost, reason_code: "compromised" })
  expect(barred.json).toMatchObject({ recovery_id: json.recovery_id, state: "awaiting_approval" })
  expect((await tokens.transfer(fund, lost, fresh, 5)).json.error).toBe("wallet_barred")
})

test("a second request while one waits is refused", async () => {
  const { investor, about, id } = await asked()
  const { status, json } = await recoveries().request(investor, about)
  expect([status, json.error]).toEqual([403, "recovery_not_possible"])
  expect(json.detail).toContain(id)
})

test("lifting a bar needs approval under a policy about unfreezing", async () => {
  const { id, lost } = await asked()
  await requireTwo("unfreeze")
  const { status, json } = await tokens.post(`/recovery/${id}/cancel`, {})
  expect([status, json]).toMatchObject([202, { action: "unfreeze", subject: lost }])
  expect((await tokens.mint(fund, lost, 1)).json.error).toBe("wallet_barred")
  expect((await approve(boss, json.approval_id)).status).toBe(200)
  expect(await recoveries().get(id)).toMatchObject({ state: "rejected", barred_since: null })
})
