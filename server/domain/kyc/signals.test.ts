import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { deployment } from "#server/domain/deployment/deployment.ts"
import type { Signal } from "#server/domain/providers/provider.ts"
import { changePolicies } from "#server/domain/screening/policies.ts"
import { newId } from "#server/lib/ids.ts"
import { addSeconds, clock } from "#server/lib/time.ts"
import type { ChosenPolicies } from "#shared/monitoring.ts"
import { newWallet, type TestKey } from "#test/fixtures/app.ts"
import { officerOf } from "#test/fixtures/screening.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"
import { applyProviderEvent } from "./provider-events.ts"

usesApp()

/** A workspace with these policies. */
async function team(changes: ChosenPolicies = {}) {
  const officer = await officerOf(app)
  await changePolicies({ principal: officer.principal, requestId: newId("req"), changes })
  return officer
}

/** One person with this many verified wallets. */
async function person(key: TestKey, wallets: number, externalId = newId("evt")) {
  const made = []
  for (let n = 0; n < wallets; n++) {
    const wallet = newWallet()
    const { json } = await app.request({
      method: "POST",
      path: "/kyc/start",
      key: key.apiKey,
      json: { userPubkey: wallet, schemaId: "kyc_individual_v1", externalId },
    })
    await app.webhook({ session_id: json.session_id, decision: "approved" })
    await app.waitForStatus(key, wallet, "verified")
    made.push({ wallet, sessionId: json.session_id as string })
  }
  const [row] = await sql<{ investor_id: string }[]>`
    select investor_id from attestations where workspace_id = ${key.workspaceId} and wallet = ${made[0]!.wallet}`
  return {
    wallets: made.map(({ wallet }) => wallet),
    sessionId: made[0]!.sessionId,
    investorId: row!.investor_id,
  }
}

const send = (sessionId: string, signal: Signal, { eventId = newId("evt") as string, occurredAt = clock.now() } = {}) =>
  applyProviderEvent({
    event: {
      eventId,
      about: { sessionId },
      says: { kind: "signal", signal, occurredAt, reason: "reported by the test" },
    },
    provider: deployment.providers.test.default!,
    mode: "test",
  })

const reviewsOf = (investorId: string) =>
  sql<{ id: string; state: string; version: number }[]>`
    select id, state, version from reviews where investor_id = ${investorId} and kind = 'signal' order by seq`
const findingsOf = (id: string) =>
  sql<{ finding: string }[]>`select finding from review_entries where review_id = ${id} order by seq`
const statusOf = async (key: TestKey, wallet: string) =>
  (await app.request({ method: "GET", path: `/kyc/status/${wallet}`, key: key.apiKey })).json.status

test.each(["watchlist_match", "case_opened"] as const)(
  "%s opens one review of the person, by default",
  async (signal) => {
    const { key } = await team()
    const { wallets, sessionId, investorId } = await person(key, 2)
    expect(await send(sessionId, signal)).toBe("applied")
    const reviews = await reviewsOf(investorId)
    expect(reviews).toMatchObject([{ state: "open" }])
    expect(await findingsOf(reviews[0]!.id)).toEqual([{ finding: signal }])
    for (const wallet of wallets) expect(await statusOf(key, wallet)).toBe("verified")
  },
)

test("a deactivated person loses all verifications, on every wallet", async () => {
  const { key } = await team()
  const [gone, stays] = [await person(key, 3), await person(key, 1)]
  expect(await send(gone.sessionId, "person_deactivated")).toBe("applied")
  for (const wallet of gone.wallets) await app.waitForStatus(key, wallet, "rejected")
  expect(await statusOf(key, stays.wallets[0]!)).toBe("verified")
  expect(await reviewsOf(gone.investorId)).toEqual([])
})

test("a verification that began after the signal continues, however late the signal arrives", async () => {
  const { key } = await team()
  const wallet = newWallet()
  const { sessionId } = await app.startSession(key, wallet)
  const before = addSeconds(clock.now(), -60)
  expect(await send(sessionId, "person_deactivated", { occurredAt: before })).toBe("ignored")
  expect(await statusOf(key, wallet)).toBe("pending")
  expect(await send(sessionId, "person_deactivated", { occurredAt: addSeconds(clock.now(), 1) })).toBe("applied")
  expect(await statusOf(key, wallet)).toBe("rejected")
})

test("the policy of each signal can be changed", async () => {
  const { key } = await team({ watchlist_match: "withdraw", person_deactivated: "review" })
  const [first, second] = [await person(key, 1), await person(key, 1)]
  await send(first.sessionId, "watchlist_match")
  await app.waitForStatus(key, first.wallets[0]!, "rejected")
  await send(second.sessionId, "person_deactivated")
  expect(await reviewsOf(second.investorId)).toHaveLength(1)
  expect(await statusOf(key, second.wallets[0]!)).toBe("verified")
})

test("the same signal twice at once counts once; another one joins the open review", async () => {
  const { key } = await team()
  const { sessionId, investorId } = await person(key, 2)
  const eventId = newId("evt")
  const outcomes = await Promise.all(Array.from({ length: 8 }, () => send(sessionId, "case_opened", { eventId })))
  expect(outcomes.sort()).toEqual(["applied", ...Array(7).fill("duplicate")])
  await Promise.all([send(sessionId, "watchlist_match"), send(sessionId, "case_opened")])
  const reviews = await reviewsOf(investorId)
  expect(reviews).toHaveLength(1)
  expect((await findingsOf(reviews[0]!.id)).map(({ finding }) => finding).sort()).toEqual([
    "case_opened",
    "watchlist_match",
  ])
})

test("of two simultaneous withdrawals, each verification ends once", async () => {
  const { key } = await team()
  const { wallets, sessionId } = await person(key, 2)
  const eventId = newId("evt")
  await Promise.all(Array.from({ length: 4 }, () => send(sessionId, "person_deactivated", { eventId })))
  for (const wallet of wallets) await app.waitForStatus(key, wallet, "rejected")
  const burnt = await sql`
    select wallet from operations where workspace_id = ${key.workspaceId} and kind = 'revoke' and wallet = any(${wallets})`
  expect(burnt).toHaveLength(2)
})

test("a signal older than the approval, or about a person whose verifications have ended, has no effect", async () => {
  const { key } = await team({ watchlist_match: "withdraw" })
  const { wallets, sessionId, investorId } = await person(key, 1)
  const before = addSeconds(clock.now(), -3600)
  for (const signal of ["watchlist_match", "case_opened"] as const)
    expect(await send(sessionId, signal, { occurredAt: before })).toBe("ignored")
  expect(await statusOf(key, wallets[0]!)).toBe("verified")
  await send(sessionId, "person_deactivated")
  await app.waitForStatus(key, wallets[0]!, "rejected")
  expect(await send(sessionId, "case_opened")).toBe("ignored")
  expect(await reviewsOf(investorId)).toEqual([])
})

test("a signal that overtakes the approval still opens the review", async () => {
  const { key } = await team()
  const { wallet, sessionId } = await app.startSession(key)
  expect(await send(sessionId, "watchlist_match")).toBe("applied")
  await app.webhook({
    session_id: sessionId,
    decision: "approved",
    occurred_at: addSeconds(clock.now(), -60).toISOString(),
  })
  await app.waitForStatus(key, wallet, "verified")
  const rows = await sql`select state from reviews where workspace_id = ${key.workspaceId} and kind = 'signal'`
  expect(rows).toEqual([{ state: "open" }])
})

test("revoking in the review ends the verifications of all wallets, but not those in another workspace", async () => {
  const officer = await team()
  const other = await team()
  const externalId = newId("evt")
  const [own, others] = [await person(officer.key, 2, externalId), await person(other.key, 1, externalId)]
  await send(own.sessionId, "case_opened")
  const [review] = await reviewsOf(own.investorId)
  await officer.decide(review!.id, "revoke")
  for (const wallet of own.wallets) await app.waitForStatus(officer.key, wallet, "rejected")
  expect(await statusOf(other.key, others.wallets[0]!)).toBe("verified")
  expect(await reviewsOf(others.investorId)).toEqual([])
})

test("deleted data opens a review, or does nothing if the workspace chose that", async () => {
  for (const [choice, outcome, found] of [
    [undefined, "applied", 1],
    ["nothing", "ignored", 0],
  ] as const) {
    const { key } = await team(choice && { data_deleted: choice })
    const { wallet, sessionId } = await app.verifiedWallet(key)
    expect(await send(sessionId, "data_deleted")).toBe(outcome)
    const reviews = await sql`
      select from reviews where workspace_id = ${key.workspaceId} and kind = 'signal'`
    expect(reviews).toHaveLength(found)
    await app.waitForStatus(key, wallet, "verified")
  }
})
