import { beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { newWallet } from "#test/fixtures/app.ts"
import { approve } from "#test/fixtures/approvals.ts"
import { decide, requireReviewApproval, reversalReview, reviewTeam, vendorReview } from "#test/fixtures/reviews.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

let team: Awaited<ReturnType<typeof reviewTeam>>

usesApp()
beforeAll(async () => {
  team = await reviewTeam(app)
})

const usedIn = async (workspaceId: string): Promise<number> =>
  (await sql`select coalesce(sum(used), 0)::int as used from usage_periods where workspace_id = ${workspaceId}`)[0]!
    .used
const attestationsOf = (wallet: string) => sql`
  select id, status, review_id, session_id, investor_id from attestations
  where workspace_id = ${team.key.workspaceId} and wallet = ${wallet} order by seq`
const stateOf = async (reviewId: string) =>
  (await sql`select state, ending, decision from reviews where id = ${reviewId}`)[0]!

test("accepting creates a new attestation and uses a unit of quota, and the rejected one stays", async () => {
  const found = await reversalReview(app, team.key, "person-reversed")
  expect(found.outcome).toBe("review_opened")
  const before = await usedIn(team.key.workspaceId)
  const shown = (await team.officer.query("review.get", { review_id: found.reviewId })).data
  expect(shown).toMatchObject({ kind: "reversal", decisions: ["approve", "keep_rejected"], has_claims: true })
  const { data } = await decide(team.officer, found.reviewId, { decision: "approve" })
  expect(data.state).toBe("closed")
  const record = await app.waitForStatus(team.key, found.wallet, "verified")
  const rows = await attestationsOf(found.wallet)
  expect(rows).toMatchObject([
    { id: found.attestationId, status: "rejected" },
    { id: record.attestation_id, status: "verified", review_id: found.reviewId },
  ])
  expect(rows[1]!.investor_id).toBe(rows[0]!.investor_id)
  expect(rows[1]!.session_id).not.toBe(found.sessionId)
  expect(await usedIn(team.key.workspaceId)).toBe(before + 1)
  // Validity counts from the vendor's approval, twenty minutes ago.
  const [{ minutes }] = await sql<[{ minutes: number }]>`
    select extract(epoch from now() - issued_at)::float8 / 60 as minutes from attestations
    where id = ${record.attestation_id}`
  expect(minutes).toBeGreaterThan(19)
  const [audit] = await sql`
    select detail from audit_entries where subject = ${record.attestation_id} and action = 'attestation.decided_manually'`
  expect(audit!.detail).toMatchObject({ review: found.reviewId, reversal_of: found.attestationId })
})

test("the vendor's later events about the session apply to the new attestation", async () => {
  const found = await reversalReview(app, team.key)
  await decide(team.officer, found.reviewId, { decision: "approve" })
  await app.waitForStatus(team.key, found.wallet, "verified")
  expect(await found.say("rejected", 25)).toBe("ignored")
  await app.waitForStatus(team.key, found.wallet, "verified")
  expect(await found.say("rejected", 1)).toBe("applied")
  await app.waitForStatus(team.key, found.wallet, "rejected")
  expect((await attestationsOf(found.wallet)).map(({ status }) => status)).toEqual(["rejected", "rejected"])
})

test("keeping the rejection changes only the review", async () => {
  const found = await reversalReview(app, team.key)
  const before = await usedIn(team.key.workspaceId)
  await decide(team.officer, found.reviewId, { decision: "keep_rejected" })
  expect(await stateOf(found.reviewId)).toEqual({
    state: "closed",
    ending: "decided",
    decision: "keep_rejected",
  })
  expect(await attestationsOf(found.wallet)).toHaveLength(1)
  expect(await usedIn(team.key.workspaceId)).toBe(before)
})

test("a repeated or late event opens no second review", async () => {
  const found = await reversalReview(app, team.key)
  expect(await found.say("approved", 25)).toBe("ignored")
  expect(await found.say("in_review", 5)).toBe("ignored")
  const reviews = await sql`select from reviews where attestation_id = ${found.attestationId}`
  expect(reviews).toHaveLength(1)
})

test("under a policy, another member must approve it, not the requester", async () => {
  const own = await reviewTeam(app)
  await requireReviewApproval(own.account)
  const found = await reversalReview(app, own.key)
  const { approvalId } = (await decide(own.officer, found.reviewId, { decision: "approve" })).error
  expect((await approve({ browser: own.officer }, approvalId)).error.error).toBe("second_person_required")
  expect((await approve({ browser: own.second }, approvalId)).data.state).toBe("approved")
  await app.waitForStatus(own.key, found.wallet, "verified")
})

test("a refusal once a decision is approved is its outcome, and the review is open again", async () => {
  const own = await reviewTeam(app)
  await requireReviewApproval(own.account)
  const found = await reversalReview(app, own.key)
  const { approvalId } = (await decide(own.officer, found.reviewId, { decision: "approve" })).error
  await sql`update usage_periods set used = 500 where workspace_id = ${own.key.workspaceId}`
  const { data } = await approve({ browser: own.second }, approvalId)
  expect(data).toMatchObject({ state: "approved", outcome: { error: "quota_exceeded" } })
  const shown = (await own.officer.query("review.get", { review_id: found.reviewId })).data
  expect(shown).toMatchObject({ state: "open", decision: null })
})

test("without quota, accepting is refused, and the review stays open", async () => {
  const own = await reviewTeam(app)
  const found = await reversalReview(app, own.key)
  await sql`update usage_periods set used = 500 where workspace_id = ${own.key.workspaceId}`
  const refused = await decide(own.officer, found.reviewId, { decision: "approve" })
  expect([refused.status, refused.error.error]).toEqual([429, "quota_exceeded"])
  expect(await stateOf(found.reviewId)).toMatchObject({ state: "open", decision: null })
})

test("a wallet that now belongs to another person is not verified for the previous one", async () => {
  const found = await reversalReview(app, team.key, "the-person-before")
  const json = { userPubkey: found.wallet, schemaId: "kyc_business_v1", externalId: "the-person-after" }
  const started = await app.request({ method: "POST", path: "/kyc/start", key: team.key.apiKey, json })
  await app.webhook({ session_id: started.json.session_id, decision: "approved" })
  const refused = await decide(team.officer, found.reviewId, { decision: "approve" })
  expect([refused.status, refused.error.error]).toEqual([409, "review_changed"])
  expect(refused.error.detail).toContain("another person")
})

test("another person's earlier session of the wallet does not prevent the reversal", async () => {
  const wallet = newWallet()
  const json = { userPubkey: wallet, schemaId: "kyc_individual_v1", externalId: "a-stranger" }
  await app.request({ method: "POST", path: "/kyc/start", key: team.key.apiKey, json })
  const found = await reversalReview(app, team.key, "the-person-checked", wallet)
  expect((await decide(team.officer, found.reviewId, { decision: "approve" })).data.state).toBe("closed")
  await app.waitForStatus(team.key, wallet, "verified")
})

test("a later session of the person takes the reversal, without another unit of quota", async () => {
  const found = await reversalReview(app, team.key, "person-who-began-again")
  const json = {
    userPubkey: found.wallet,
    schemaId: "kyc_individual_v1",
    externalId: "person-who-began-again",
  }
  const again = await app.request({ method: "POST", path: "/kyc/start", key: team.key.apiKey, json })
  const before = await usedIn(team.key.workspaceId)
  await decide(team.officer, found.reviewId, { decision: "approve" })
  await app.waitForStatus(team.key, found.wallet, "verified")
  const rows = await attestationsOf(found.wallet)
  expect(rows.map(({ session_id }) => session_id)).toEqual([found.sessionId, again.json.session_id])
  expect(await usedIn(team.key.workspaceId)).toBe(before)
})

test("after a member's rejection or a revocation, the vendor's approval is ignored", async () => {
  const reviewed = await vendorReview(app, team.key)
  await decide(team.officer, reviewed.reviewId, { decision: "reject" })
  const approval = { session_id: reviewed.sessionId, decision: "approved" }
  expect((await app.webhook(approval)).json.outcome).toBe("ignored")

  const { wallet, sessionId } = await app.startSession(team.key)
  await app.webhook({ session_id: sessionId, decision: "approved" })
  const { attestation_id } = await app.waitForStatus(team.key, wallet, "verified")
  const path = `/attestation/${attestation_id}/revoke`
  await app.request({ method: "POST", path, key: team.key.apiKey, json: { reason: "Left us" } })
  expect((await app.webhook({ session_id: sessionId, decision: "approved" })).json.outcome).toBe("ignored")
  expect((await app.webhook({ session_id: sessionId, decision: "rejected" })).json.outcome).toBe("ignored")
})

test("erasing the person closes the review", async () => {
  const found = await reversalReview(app, team.key)
  const path = `/wallets/${found.wallet}/erase`
  expect((await app.request({ method: "POST", path, key: team.key.apiKey })).status).toBe(200)
  expect(await stateOf(found.reviewId)).toMatchObject({ state: "closed", ending: "erased" })
})
