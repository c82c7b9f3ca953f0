import { beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { openReview } from "#server/domain/reviews/open.ts"
import { addSeconds, clock, toTimestamp } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { approve } from "#test/fixtures/approvals.ts"
import type { Browser } from "#test/fixtures/people.ts"
import { decide, requireReviewApproval, reviewTeam, vendorReview } from "#test/fixtures/reviews.ts"
import { tokenFixture } from "#test/fixtures/tokens.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

let team: Awaited<ReturnType<typeof reviewTeam>>

usesApp()
beforeAll(async () => {
  team = await reviewTeam(app)
})

const reviewOf = async (id: string) => (await sql`select * from reviews where id = ${id}`)[0]!
const statusOf = async (wallet: string) =>
  (await app.request({ method: "GET", path: `/kyc/status/${wallet}`, key: team.key.apiKey })).json.status
const recordOf = async (id: string) =>
  (await app.request({ method: "GET", path: `/attestation/${id}`, key: team.key.apiKey })).json
const operationsOf = (attestationId: string) => sql`
  select kind, status from operations where payload ->> 'attestation_id' = ${attestationId} order by seq`
const auditOf = async (subject: string) =>
  (await sql`select action, detail from audit_entries where subject = ${subject} order by seq`).map((row) => row)

test("a member's approval issues the credential once, with the vendor's claims, and is marked as manual", async () => {
  const review = await vendorReview(app, team.key, {
    claims: { country: "US" },
    reason: "Glare on the document",
  })
  const shown = (await team.officer.query("review.get", { review_id: review.reviewId })).data
  expect(shown).toMatchObject({
    kind: "vendor",
    state: "open",
    decisions: ["approve", "request_resubmission", "reject"],
    has_claims: true,
    attestations: [{ attestation_id: review.attestationId, status: "pending" }],
    moments: [{ event: "found", finding: "in_review", text: "Glare on the document" }],
  })
  const decided = await decide(team.officer, review.reviewId, { decision: "approve" })
  expect([decided.status, decided.data]).toEqual([200, { review_id: review.reviewId, state: "closed" }])
  await app.waitForStatus(team.key, review.wallet, "verified")
  expect(await operationsOf(review.attestationId)).toEqual([{ kind: "attest", status: "confirmed" }])

  const tokens = tokenFixture(app, team.key)
  const config = await tokens.config({ allowed_countries: ["US"] })
  expect((await tokens.mint(config, review.wallet, "1")).status).toBe(200)

  const [row] = await sql`select review_id, event_decision from attestations where id = ${review.attestationId}`
  expect(row).toEqual({ review_id: review.reviewId, event_decision: "approved" })
  expect(await auditOf(review.attestationId)).toContainEqual({
    action: "attestation.decided_manually",
    detail: { decision: "approved", review: review.reviewId },
  })
  expect(await recordOf(review.attestationId)).toMatchObject({ status: "verified", decided_by: "review" })
  const { timeline } = (await team.officer.query("attestation.detail", { id: review.attestationId })).data
  expect(timeline.find(({ event }: { event: string }) => event === "decided")).toMatchObject({
    detail: "approved",
    by: { kind: "user", name: "The compliance" },
  })
  const closed = await reviewOf(review.reviewId)
  expect(closed).toMatchObject({ state: "closed", ending: "decided", decision: "approve", claims: null })
  expect(closed.reason.toString("latin1")).not.toContain("Checked")
})

test("claims that a member enters replace the vendor's, and the log has only their names", async () => {
  const review = await vendorReview(app, team.key, { claims: { country: "US", age_over_18: true } })
  const claims = { country: "CA", age_over_18: true }
  await decide(team.officer, review.reviewId, { decision: "approve", claims })
  await app.waitForStatus(team.key, review.wallet, "verified")
  const { data } = await team.officer.query("attestation.detail", { id: review.attestationId })
  expect(data.status).toBe("verified")
  const [entry] = (await auditOf(review.reviewId)).filter(({ action }) => action === "review.decided")
  expect(entry!.detail).toEqual({ kind: "vendor", decision: "approve", claims_entered: ["country"] })
  const tokens = tokenFixture(app, team.key)
  const config = await tokens.config({ allowed_countries: ["US"] })
  expect((await tokens.mint(config, review.wallet, "1")).json.error).toBe("country_not_allowed")
})

test("a rejection ends the session with the public code; the reason stays internal", async () => {
  const review = await vendorReview(app, team.key)
  const rejection = { decision: "reject", public_reason: "information_mismatch", reason: "Name differs" }
  expect((await decide(team.officer, review.reviewId, rejection)).status).toBe(200)
  expect(await statusOf(review.wallet)).toBe("rejected")
  const page = await fetch(`${app.origin}/api/trpc/verification.view`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ sessionId: review.sessionId }),
  })
  const text = await page.text()
  expect(text).toContain("information_mismatch")
  expect(text).not.toContain("Name differs")
  const { decided_at } = await reviewOf(review.reviewId)
  expect(await recordOf(review.attestationId)).toMatchObject({
    revocation_reason: "Name differs",
    public_reason: "information_mismatch",
    decided_by: "review",
    decided_at: toTimestamp(decided_at),
  })
})

test("a request to submit again sends the investor back to the vendor, and opens another review later", async () => {
  const review = await vendorReview(app, team.key)
  await decide(team.officer, review.reviewId, { decision: "request_resubmission" })
  expect(await statusOf(review.wallet)).toBe("pending")
  const { data } = await team.officer.mutate("verification.view", { sessionId: review.sessionId })
  expect(data).toMatchObject({ state: "open", again: "resubmit" })
  await app.webhook({ session_id: review.sessionId, decision: "in_review" })
  const open = await sql`
    select id from reviews where attestation_id = ${review.attestationId} and state = 'open'`
  expect(open).toHaveLength(1)
  expect(open[0]!.id).not.toBe(review.reviewId)
})

test("a vendor's rejection from before a member's approval that arrives later still counts", async () => {
  const review = await vendorReview(app, team.key)
  const rejectedAt = clock.now()
  await decide(team.officer, review.reviewId, { decision: "approve" })
  await app.waitForStatus(team.key, review.wallet, "verified")
  const late = { session_id: review.sessionId, decision: "rejected", occurred_at: rejectedAt.toISOString() }
  expect((await app.webhook(late)).json.outcome).toBe("applied")
  expect(await statusOf(review.wallet)).toBe("rejected")
  expect(await recordOf(review.attestationId)).toMatchObject({
    decided_by: "provider",
    decided_at: toTimestamp(rejectedAt),
  })
  await waitFor(
    async () =>
      (await operationsOf(review.attestationId)).some((one) => one.kind === "revoke" && one.status === "confirmed"),
    "the credential to be destroyed",
  )
})

test("the vendor's approval after a member's issues nothing more", async () => {
  const review = await vendorReview(app, team.key)
  await decide(team.officer, review.reviewId, { decision: "approve" })
  const again = {
    session_id: review.sessionId,
    decision: "approved",
    occurred_at: addSeconds(clock.now(), 5).toISOString(),
  }
  expect((await app.webhook(again)).json.outcome).toBe("ignored")
  await app.waitForStatus(team.key, review.wallet, "verified")
  expect(await operationsOf(review.attestationId)).toHaveLength(1)
})

test("of two simultaneous decisions one counts, and the other answer names the member who decided", async () => {
  const review = await vendorReview(app, team.key)
  const { version } = (await team.officer.query("review.get", { review_id: review.reviewId })).data
  const input = { review_id: review.reviewId, version, reason: "Seen" }
  const answers = await Promise.all([
    team.officer.mutate("review.decide", { ...input, decision: "approve" }),
    team.second.mutate("review.decide", { ...input, decision: "reject" }),
    team.owner.mutate("review.decide", { ...input, decision: "reject" }),
  ])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
  for (const { error } of answers.filter(({ status }) => status === 409)) {
    expect(error.error).toBe("review_changed")
    expect(error.detail).toMatch(/^The (compliance|owner) has already decided this review: (approved|rejected)\.$/)
  }
  const decisions = (await auditOf(review.reviewId)).filter(({ action }) => action === "review.decided")
  expect(decisions).toHaveLength(1)
})

test("a simultaneous decision of the vendor wins or loses, and the session has one decision", async () => {
  for (let i = 0; i < 5; i++) {
    const review = await vendorReview(app, team.key)
    const { version } = (await team.officer.query("review.get", { review_id: review.reviewId })).data
    const input = { review_id: review.reviewId, version, reason: "Seen", decision: "approve" }
    const [vendor, person] = await Promise.all([
      app.webhook({ session_id: review.sessionId, decision: "approved" }),
      team.officer.mutate("review.decide", input),
    ])
    expect(vendor.status).toBe(200)
    const { ending } = await reviewOf(review.reviewId)
    expect(vendor.json.outcome === "applied" ? "vendor" : "decided").toBe(ending)
    expect(person.status).toBe(ending === "vendor" ? 409 : 200)
    expect(await operationsOf(review.attestationId)).toHaveLength(1)
  }
})

test("a session past its time cannot be decided, even before the sweep", async () => {
  const review = await vendorReview(app, team.key)
  const { version } = (await team.officer.query("review.get", { review_id: review.reviewId })).data
  await sql`update attestations set open_until = now() - interval '1 second' where id = ${review.attestationId}`
  const list = (await team.officer.query("review.list", {})).data.data as { review_id: string }[]
  expect(list.map(({ review_id }) => review_id)).not.toContain(review.reviewId)
  const input = { review_id: review.reviewId, version, reason: "Seen", decision: "approve" }
  expect((await team.officer.mutate("review.decide", input)).error.error).toBe("review_changed")
  expect(await statusOf(review.wallet)).toBe("expired")
  expect(await operationsOf(review.attestationId)).toHaveLength(0)
})

test("a finding that arrives during a decision must be seen first", async () => {
  const { wallet } = await app.verifiedWallet(team.key)
  const found = {
    workspaceId: team.key.workspaceId,
    kind: "screening",
    about: { wallet: wallet as never },
    finding: "wallet_listed",
    detail: "List A",
  } as const
  const { reviewId } = await sql.begin((sql) => openReview(sql, found))
  const { version } = (await team.officer.query("review.get", { review_id: reviewId })).data
  await sql.begin((sql) => openReview(sql, { ...found, detail: "List B" }))
  const input = { review_id: reviewId, version, reason: "False positive", decision: "clear" }
  const refused = await team.officer.mutate("review.decide", input)
  expect([refused.status, refused.error.error]).toEqual([409, "review_changed"])
  expect((await decide(team.officer, reviewId, { decision: "clear" })).status).toBe(200)
  expect(await statusOf(wallet)).toBe("verified")
})

test("revoking ends everything in force for the wallet, and destroys its credentials", async () => {
  const { wallet } = await app.verifiedWallet(team.key)
  const pending = await app.startSession(team.key, wallet as never, "kyc_business_v1")
  const about = { wallet: wallet as never }
  const { reviewId } = await sql.begin((sql) =>
    openReview(sql, {
      workspaceId: team.key.workspaceId,
      kind: "screening",
      about,
      finding: "wallet_listed",
      detail: null,
    }),
  )
  const revocation = { decision: "revoke", public_reason: "not_eligible", reason: "On the list" }
  expect((await decide(team.officer, reviewId, revocation)).status).toBe(200)
  const rows = await sql`select status, reason, public_reason from attestations where wallet = ${wallet}`
  expect(rows).toHaveLength(2)
  for (const row of rows)
    expect(row).toEqual({ status: "rejected", reason: "On the list", public_reason: "not_eligible" })
  expect(pending.wallet).toBe(wallet)
})

test.each([
  [{ decision: "clear" }, "decision"],
  [{ decision: "approve", public_reason: "resubmit" }, "public_reason"],
  [{ decision: "reject", claims: { country: "US" } }, "claims"],
  [{ decision: "reject", reason: "" }, "reason"],
  [{ decision: "approve", claims: { country: "Atlantis" } }, "claims.country"],
  [{ decision: "approve", claims: { name: "Ada" } }, "claims"],
])("%j is refused, and the error names the field", async (decision, field) => {
  const review = await vendorReview(app, team.key)
  const { status, error } = await decide(team.officer, review.reviewId, decision)
  expect(status).toBe(422)
  expect(error.detail).toContain(field)
  expect((await reviewOf(review.reviewId)).state).toBe("open")
})

test("under a policy, another member must approve a decision, not the requester from any browser", async () => {
  const own = await reviewTeam(app)
  await requireReviewApproval(own.account)
  const review = await vendorReview(app, own.key, { claims: { country: "US" } })
  const { status, error } = await decide(own.officer, review.reviewId, { decision: "approve" })
  expect([status, error.error]).toEqual([409, "awaiting_approval"])
  expect(await operationsOf(review.attestationId)).toHaveLength(0)
  const shown = (await own.second.query("review.get", { review_id: review.reviewId })).data
  expect(shown).toMatchObject({ state: "requested", decision: "approve", approval_id: error.approvalId, decisions: [] })
  const by = (browser: Browser) => approve({ browser }, error.approvalId)
  for (const answer of await Promise.all([1, 2, 3].map(() => by(own.officer))))
    expect([answer.status, answer.error.error]).toEqual([403, "second_person_required"])
  const both = await Promise.all([by(own.second), by(own.owner)])
  expect(both.map((answer) => answer.status).sort()).toEqual([200, 409])
  await app.waitForStatus(own.key, review.wallet, "verified")
  expect(await operationsOf(review.attestationId)).toHaveLength(1)
  const { requested_by, decided_by } = await reviewOf(review.reviewId)
  expect(requested_by).not.toBe(decided_by)
  // The database refuses it, too.
  await expect(sql`update reviews set decided_by = requested_by where id = ${review.reviewId}`).rejects.toThrow(
    "reviews_four_eyes",
  )
})

test("a requested decision can be withdrawn or rejected, and is void if its author can no longer decide", async () => {
  const own = await reviewTeam(app)
  await requireReviewApproval(own.account)
  const review = await vendorReview(app, own.key, { claims: { country: "US" } })
  const ask = async (decision: object) =>
    (await decide(own.officer, review.reviewId, { reason: "Forged", ...decision })).error.approvalId as string
  const shown = async () => (await own.second.query("review.get", { review_id: review.reviewId })).data
  const claims = async () => (await own.second.mutate("review.viewClaims", { review_id: review.reviewId })).data
  const first = await ask({ decision: "approve", claims: { country: "DE" } })
  expect((await decide(own.second, review.reviewId, { decision: "approve" })).error.error).toBe("review_changed")
  expect([(await shown()).reason, await claims()]).toEqual(["Forged", { country: "DE" }])
  expect((await own.officer.mutate("approval.withdraw", { id: first })).status).toBe(200)
  // Nothing of the request is left to see.
  expect(await shown()).toMatchObject({ state: "open", decision: null, reason: null, approval_id: null })
  expect(await claims()).toEqual({ country: "US" })
  const second = await ask({ decision: "reject" })
  const { digest } = (await own.second.query("approval.detail", { id: second })).data
  const rejection = { approval_id: second, digest, reason: "Look again" }
  expect((await own.second.mutate("approval.reject", rejection)).status).toBe(200)
  const actions = (await auditOf(review.reviewId)).map(({ action }) => action)
  expect(actions.filter((action) => action !== "claims.viewed")).toEqual([
    ...["review.opened", "approval.requested", "review.requested", "approval.withdrawn"],
    ...["approval.requested", "review.requested", "approval.rejected"],
  ])
  const third = await ask({ decision: "reject" })
  const officerId = (await own.officer.query("me.get")).data.user.id
  await own.owner.mutate("member.changeRole", { user_id: officerId, role: "viewer" })
  expect((await approve({ browser: own.second }, third)).error.error).toBe("approval_ended")
  expect(await shown()).toMatchObject({ state: "open", decision: null })
  expect(await statusOfIn(own.key.apiKey, review.wallet)).toBe("pending")
  // Without the policy, the member who asked before could decide alone; here another does.
  await sql`delete from approval_policies where workspace_id = ${own.key.workspaceId}`
  expect((await decide(own.second, review.reviewId, { decision: "reject" })).status).toBe(200)
  expect(await reviewOf(review.reviewId)).toMatchObject({ state: "closed", requested_by: null })
})

test("an earlier version's request without an approval leaves the review open to its requester, too", async () => {
  const own = await reviewTeam(app)
  const review = await vendorReview(app, own.key)
  const userId = (await own.officer.query("me.get")).data.user.id
  await sql`
    update reviews set state = 'requested', version = version + 1, decision = 'approve', requested_by = ${userId},
      requested_at = now() where id = ${review.reviewId}`
  expect((await own.officer.query("review.get", { review_id: review.reviewId })).data.state).toBe("open")
  expect((await decide(own.officer, review.reviewId, { decision: "reject" })).status).toBe(200)
  expect(await reviewOf(review.reviewId)).toMatchObject({ state: "closed", decision: "reject", requested_by: null })
})

const statusOfIn = async (apiKey: string, wallet: string) =>
  (await app.request({ method: "GET", path: `/kyc/status/${wallet}`, key: apiKey })).json.status

test("a decision of the vendor, or a new finding, ends the request", async () => {
  const own = await reviewTeam(app)
  await requireReviewApproval(own.account)
  const review = await vendorReview(app, own.key)
  const { error } = await decide(own.officer, review.reviewId, { decision: "reject" })
  await app.webhook({ session_id: review.sessionId, decision: "approved" })
  const late = await approve({ browser: own.second }, error.approvalId)
  expect([late.status, late.error.error]).toEqual([409, "approval_ended"])
  await app.waitForStatus(own.key, review.wallet, "verified")
  const { workspaceId } = own.key
  const about = { attestationId: review.attestationId, wallet: review.wallet as Address }
  const found = { workspaceId, kind: "vendor", about, finding: "in_review" } as const
  const { reviewId } = await sql.begin((sql) => openReview(sql, { ...found, detail: null }))
  const asked = await decide(own.officer, reviewId, { decision: "reject" })
  await sql.begin((sql) => openReview(sql, { ...found, detail: "Another one" }))
  expect((await approve({ browser: own.second }, asked.error.approvalId)).error.error).toBe("approval_ended")
  expect(await reviewOf(reviewId)).toMatchObject({ state: "open", decision: null })
})
