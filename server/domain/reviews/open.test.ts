import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { unseal } from "#server/domain/deployment/sealed.ts"
import { addSeconds, clock } from "#server/lib/time.ts"
import { newWallet, waitFor } from "#test/fixtures/app.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"
import { type Found, openReview } from "./open.ts"
import { claimsOwner } from "./owners.ts"

usesCustomer()

const listed = (wallet = newWallet(), detail: string | null = null): Found => ({
  workspaceId: key.workspaceId,
  kind: "screening",
  about: { wallet },
  finding: "wallet_listed",
  detail,
})
const open = (found: Found) => sql.begin((sql) => openReview(sql, found))
const reviewOf = async (id: string) => (await sql`select * from reviews where id = ${id}`)[0]!
const actionsOf = async (id: string) =>
  (await sql`select action, actor, actor_name from audit_entries where subject = ${id} order by seq`).map(
    (row) => `${row.action} ${row.actor} ${row.actor_name}`,
  )

test("a repeat joins the open review: new details are stored, and known ones change nothing", async () => {
  const wallet = newWallet()
  const found = listed(wallet, "OFAC SDN, entry 4711")
  const { reviewId, isNew } = await open(found)
  expect(isNew).toBe(true)
  expect(await open(found)).toEqual({ reviewId, isNew: false })
  expect(await reviewOf(reviewId)).toMatchObject({ version: 1, state: "open", subject: wallet, wallet })
  await open({ ...found, detail: "EU list, entry 12" })
  expect((await reviewOf(reviewId)).version).toBe(2)
  const entries = await sql<{ text: Buffer }[]>`select text from review_entries where review_id = ${reviewId}`
  expect(entries).toHaveLength(2)
  expect(entries[0]!.text.toString("latin1")).not.toContain("4711")
  expect(await actionsOf(reviewId)).toEqual(["review.opened system Vouch", "review.found system Vouch"])
})

test("twenty simultaneous equal findings open one review", async () => {
  const found = listed()
  const opened = await Promise.all(Array.from({ length: 20 }, () => open(found)))
  expect(opened.filter(({ isNew }) => isNew)).toHaveLength(1)
  expect(new Set(opened.map(({ reviewId }) => reviewId)).size).toBe(1)
})

test("another kind, subject or workspace, or a closed review, means another review", async () => {
  const found = listed()
  const first = await open(found)
  const other = await app.key()
  const reviews = [
    await open({ ...found, kind: "signal", finding: "case_opened" }),
    await open(listed()),
    await open({ ...found, workspaceId: other.workspaceId }),
  ]
  await sql`update reviews set state = 'closed', ending = 'decided', closed_at = now() where id = ${first.reviewId}`
  reviews.push(await open(found))
  expect(reviews.every(({ isNew }) => isNew)).toBe(true)
})

test("a new finding voids a decision that waits for confirmation, and a repeat does not", async () => {
  const found = listed()
  const { reviewId } = await open(found)
  await sql`update reviews set state = 'requested', decision = 'clear', requested_by = 'another' where id = ${reviewId}`
  await open(found)
  expect((await reviewOf(reviewId)).state).toBe("requested")
  await open({ ...found, detail: "another list" })
  expect(await reviewOf(reviewId)).toMatchObject({ state: "open", decision: null, requested_by: null })
  expect(await actionsOf(reviewId)).toContain("review.request_voided system Vouch")
})

const vendorReview = async (wallet: string) =>
  (await sql`select * from reviews where wallet = ${wallet} and kind = 'vendor' order by seq desc limit 1`)[0]

test("a session that a vendor leaves in review opens one review, and the vendor's decision closes it", async () => {
  for (const decision of ["approved", "rejected", "expired", "resubmission_requested"]) {
    const { wallet, sessionId } = await app.startSession(key)
    const at = clock.now()
    const say = (decision: string, seconds: number) =>
      app.webhook({
        session_id: sessionId,
        decision,
        occurred_at: addSeconds(at, seconds).toISOString(),
        reason: "Glare on the document",
      })
    await say("in_review", 0)
    const opened = await vendorReview(wallet)
    expect(opened, decision).toMatchObject({ state: "open", kind: "vendor" })
    await say("in_review", 1)
    expect((await vendorReview(wallet))!.id).toBe(opened!.id)
    await say(decision, 2)
    expect(await vendorReview(wallet), decision).toMatchObject({
      id: opened!.id,
      state: "closed",
      ending: "vendor",
      decided_by: null,
    })
    expect(await actionsOf(opened!.id)).toEqual(["review.opened system Vouch", "review.closed system Vouch"])
  }
})

test("an event that arrives too late opens nothing", async () => {
  const { wallet, sessionId } = await app.startSession(key)
  const at = clock.now()
  await app.webhook({ session_id: sessionId, decision: "rejected", occurred_at: at.toISOString() })
  await app.webhook({
    session_id: sessionId,
    decision: "in_review",
    occurred_at: addSeconds(at, 1).toISOString(),
  })
  expect(await vendorReview(wallet)).toBeUndefined()
})

test("revoking a session or its expiry closes its review", async () => {
  const revoked = await app.startSession(key)
  await app.webhook({ session_id: revoked.sessionId, decision: "in_review" })
  const [row] = await sql`select id from attestations where session_id = ${revoked.sessionId}`
  const path = `/attestation/${row!.id}/revoke`
  await app.request({ method: "POST", path, key: key.apiKey, json: { reason: "Withdrawn" } })
  expect(await vendorReview(revoked.wallet)).toMatchObject({ state: "closed", ending: "revoked" })

  const late = await app.startSession(key)
  await app.webhook({ session_id: late.sessionId, decision: "in_review" })
  await sql`update attestations set open_until = now() - interval '1 second' where session_id = ${late.sessionId}`
  const isClosed = async () => (await vendorReview(late.wallet))!.ending === "expired"
  await waitFor(isClosed, "the sweep to close the review")
})

test("later claims replace earlier ones and void a decision that waits for confirmation; equal claims do not", async () => {
  const { wallet, sessionId } = await app.startSession(key)
  const at = clock.now()
  const say = (claims: Record<string, unknown>, seconds: number) => {
    const occurred_at = addSeconds(at, seconds).toISOString()
    return app.webhook({ session_id: sessionId, decision: "in_review", occurred_at, claims })
  }
  await say({ country: "US" }, 0)
  const { id, claims, version } = (await vendorReview(wallet))!
  await say({ country: "US" }, 1)
  expect(await vendorReview(wallet)).toMatchObject({ claims, version })
  // An event without claims does not remove them.
  await say({}, 2)
  expect(await vendorReview(wallet)).toMatchObject({ claims, version })
  await sql`update reviews set state = 'requested', decision = 'approve', requested_by = 'another' where id = ${id}`
  await say({ country: "KP" }, 3)
  const last = (await vendorReview(wallet))!
  expect(JSON.parse(unseal(claimsOwner(id), last.claims))).toEqual({ country: "KP" })
  expect(last).toMatchObject({ version: version + 1, state: "open", decision: null })
  expect(await actionsOf(id)).toContain("review.request_voided system Vouch")
})
