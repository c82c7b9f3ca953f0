import { beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { openReview } from "#server/domain/reviews/open.ts"
import { addSeconds, clock, toTimestamp } from "#server/lib/time.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { decide, requireFourEyes, reviewTeam, vendorReview } from "#test/fixtures/reviews.ts"
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

test("four eyes: a decision waits for another member; the requester cannot confirm it, from any browser", async () => {
  const own = await reviewTeam(app)
  await requireFourEyes(own.account)
  const review = await vendorReview(app, own.key, { claims: { country: "US" } })
  const asked = await decide(own.officer, review.reviewId, { decision: "approve" })
  expect(asked.data.state).toBe("requested")
  expect(await operationsOf(review.attestationId)).toHaveLength(0)
  const { version } = (await own.officer.query("review.get", { review_id: review.reviewId })).data
  const input = { review_id: review.reviewId, version }
  const own_attempts = await Promise.all([1, 2, 3].map(() => own.officer.mutate("review.confirm", input)))
  for (const { status, error } of own_attempts) expect([status, error.error]).toEqual([403, "second_person_required"])
  const both = await Promise.all([
    own.second.mutate("review.confirm", input),
    own.owner.mutate("review.confirm", input),
  ])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
  await app.waitForStatus(own.key, review.wallet, "verified")
  expect(await operationsOf(review.attestationId)).toHaveLength(1)
  const { requested_by, decided_by } = await reviewOf(review.reviewId)
  expect(requested_by).not.toBe(decided_by)
  // The database refuses it, too.
  await expect(sql`update reviews set decided_by = requested_by where id = ${review.reviewId}`).rejects.toThrow(
    "reviews_four_eyes",
  )
})

test("four eyes: a request can be withdrawn or returned, and is void if its author can no longer decide", async () => {
  const own = await reviewTeam(app)
  await requireFourEyes(own.account)
  const review = await vendorReview(app, own.key)
  const seen = async () => {
    const { version } = (await own.second.query("review.get", { review_id: review.reviewId })).data
    return { review_id: review.reviewId, version }
  }
  await decide(own.officer, review.reviewId, { decision: "reject" })
  expect((await decide(own.second, review.reviewId, { decision: "approve" })).error.error).toBe("review_changed")
  expect((await own.officer.mutate("review.return", await seen())).data.state).toBe("open")
  await decide(own.officer, review.reviewId, { decision: "reject" })
  expect((await own.second.mutate("review.return", await seen())).data.state).toBe("open")
  expect((await auditOf(review.reviewId)).map(({ action }) => action)).toEqual([
    "review.opened",
    "review.requested",
    "review.request_withdrawn",
    "review.requested",
    "review.returned",
  ])
  await decide(own.officer, review.reviewId, { decision: "reject" })
  const officerId = (await own.officer.query("me.get")).data.user.id
  const demoted = await own.owner.mutate("member.changeRole", { user_id: officerId, role: "viewer" })
  expect(demoted.status).toBe(200)
  expect((await own.second.mutate("review.confirm", await seen())).error.error).toBe("review_changed")
  expect(await reviewOf(review.reviewId)).toMatchObject({ state: "open", decision: null })
  expect(await statusOfIn(own.key.apiKey, review.wallet)).toBe("pending")
})

const statusOfIn = async (apiKey: string, wallet: string) =>
  (await app.request({ method: "GET", path: `/kyc/status/${wallet}`, key: apiKey })).json.status

test("four eyes: a decision of the vendor ends the request", async () => {
  const own = await reviewTeam(app)
  await requireFourEyes(own.account)
  const review = await vendorReview(app, own.key)
  await decide(own.officer, review.reviewId, { decision: "reject" })
  const { version } = (await own.second.query("review.get", { review_id: review.reviewId })).data
  await app.webhook({ session_id: review.sessionId, decision: "approved" })
  const late = await own.second.mutate("review.confirm", { review_id: review.reviewId, version })
  expect([late.status, late.error.error]).toEqual([409, "review_changed"])
  await app.waitForStatus(own.key, review.wallet, "verified")
})
