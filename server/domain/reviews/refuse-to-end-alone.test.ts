import { beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import type { Address } from "#shared/address.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { approve } from "#test/fixtures/approvals.ts"
import { type Browser, member } from "#test/fixtures/people.ts"
import { decide, requireReviewApproval, reversalReview, reviewTeam, vendorReview } from "#test/fixtures/reviews.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"
import { openReview } from "./open.ts"

let team: Awaited<ReturnType<typeof reviewTeam>>
let developer: Browser

usesApp()
beforeAll(async () => {
  team = await reviewTeam(app)
  developer = (await member(app, { role: "developer", account: team.account })).browser
  await requireReviewApproval(team.account)
})

type Case = { wallet: Address; sessionId: string; attestationId: string; investorId: string }

const post = async (path: string, json: object) => {
  const { status, json: answer } = await app.request({ method: "POST", path, key: team.key.apiKey, json })
  return { status, error: answer.error as string | undefined }
}
const ask = async (browser: Browser, procedure: string, input: object) => {
  const { status, error } = await browser.mutate(procedure, input)
  return { status, error: error?.error as string | undefined }
}

/** All ways in which a member or a key can end a case. */
const ways: [string, (of: Case) => Promise<{ status: number; error: string | undefined }>][] = [
  ["a key cancels the session", ({ sessionId }) => post(`/kyc/session/${sessionId}/cancel`, {})],
  [
    "a key decides as the sandbox",
    ({ sessionId }) => post(`/test/sessions/${sessionId}/decide`, { decision: "rejected" }),
  ],
  [
    "a developer decides as the sandbox",
    ({ sessionId: id }) => ask(developer, "session.decide", { id, decision: "rejected" }),
  ],
  ["a key revokes", ({ attestationId }) => post(`/attestation/${attestationId}/revoke`, { reason: "x" })],
  ["a key erases the wallet", ({ wallet }) => post(`/wallets/${wallet}/erase`, {})],
  ["a key erases the investor", ({ investorId }) => post(`/investor/${investorId}/erase`, {})],
  ["a developer cancels", ({ sessionId: id }) => ask(developer, "session.cancel", { id })],
  ["a developer revokes", ({ attestationId: id }) => ask(developer, "attestation.revoke", { id, reason: "x" })],
  ["an officer revokes", ({ attestationId: id }) => ask(team.officer, "attestation.revoke", { id, reason: "x" })],
  ["an officer erases the wallet", ({ wallet: pubkey }) => ask(team.officer, "erasure.wallet", { pubkey })],
  ["an owner erases the investor", ({ investorId: id }) => ask(team.owner, "erasure.investor", { id })],
]

async function caseOf(wallet: Address): Promise<Case> {
  const [row] = await sql<{ id: string; session_id: string; investor_id: string }[]>`
    select id, session_id, investor_id from attestations where workspace_id = ${team.key.workspaceId} and wallet = ${wallet}`
  return { wallet, sessionId: row!.session_id, attestationId: row!.id, investorId: row!.investor_id }
}
const stateOf = async ({ attestationId }: Case) => {
  const [row] = await sql`
    select a.status, a.erased_at, r.state from attestations a
    left join reviews r on r.workspace_id = a.workspace_id and (r.attestation_id = a.id or r.wallet = a.wallet
      or r.investor_id = a.investor_id) where a.id = ${attestationId}`
  return row
}

test.each(ways)("if several members decide reviews, %s only after the case is decided", async (_what, end) => {
  const { wallet, reviewId } = await vendorReview(app, team.key)
  const one = await caseOf(wallet)
  expect(await end(one)).toEqual({ status: 409, error: "review_open" })
  expect(await stateOf(one)).toMatchObject({ status: "pending", erased_at: null, state: "open" })
  // Not while a decision waits for the second member, either.
  const asked = await decide(team.officer, reviewId, { decision: "reject" })
  expect(await end(one)).toEqual({ status: 409, error: "review_open" })
  expect((await approve({ browser: team.second }, asked.error.approvalId)).status).toBe(200)
  expect((await end(one)).status).toBe(200)
})

test.each(["screening", "signal"] as const)("no one can end a case of a verified wallet (%s) alone", async (kind) => {
  const { sessionId, wallet } = await app.startSession(team.key)
  await app.webhook({ session_id: sessionId, decision: "approved", claims: { country: "US" } })
  await app.waitForStatus(team.key, wallet, "verified")
  const one = await caseOf(wallet)
  const about = kind === "screening" ? { wallet } : { investorId: one.investorId }
  const finding = kind === "screening" ? "wallet_listed" : "watchlist_match"
  const { workspaceId } = team.key
  await sql.begin((sql) => openReview(sql, { workspaceId, kind, about, finding, detail: null }))
  for (const [what, end] of ways) {
    if (what.includes("cancel") || what.includes("revoke")) continue
    expect([what, await end(one)]).toEqual([what, { status: 409, error: "review_open" }])
  }
  expect(await stateOf(one)).toMatchObject({ status: "verified", erased_at: null })
  // An emergency: what is verified can always be revoked at once.
  expect(await post(`/attestation/${one.attestationId}/revoke`, { reason: "x" })).toEqual({ status: 200 })
})

test("a key cannot end a reversal alone, nor an attestation that an accepted one verified", async () => {
  const { wallet, sessionId, reviewId } = await reversalReview(app, team.key)
  const reject = () => post(`/test/sessions/${sessionId}/decide`, { decision: "rejected" })
  expect(await reject()).toEqual({ status: 409, error: "review_open" })
  const asked = await decide(team.officer, reviewId, { decision: "approve" })
  expect((await approve({ browser: team.second }, asked.error.approvalId)).status).toBe(200)
  await app.waitForStatus(team.key, wallet, "verified")
  const { workspaceId } = team.key
  const found = { kind: "screening", about: { wallet }, finding: "wallet_listed", detail: null } as const
  await sql.begin((sql) => openReview(sql, { workspaceId, ...found }))
  expect(await reject()).toEqual({ status: 409, error: "review_open" })
})

test("a bulk revocation keeps the subject of an open review, and revokes the rest", async () => {
  const reviewed = await caseOf((await vendorReview(app, team.key)).wallet)
  const other = await caseOf((await app.startSession(team.key)).wallet)
  const ids = [reviewed.attestationId, other.attestationId]
  const started = await team.officer.mutate("bulkRevocation.start", {
    attestation_ids: ids,
    reason: "Cleaning up",
  })
  const { id } = started.data
  const job = await waitFor(async () => {
    const { data } = await team.officer.query("bulkRevocation.get", { id })
    return data.ended_at !== null && data
  }, "the list to end")
  expect(job.failed).toEqual([{ attestation_id: reviewed.attestationId, error: "review_open" }])
  expect(await stateOf(reviewed)).toMatchObject({ status: "pending", state: "open" })
  expect(await stateOf(other)).toMatchObject({ status: "rejected" })
})

test("a vendor can still end a case, and without a policy one member can", async () => {
  const { wallet, sessionId } = await vendorReview(app, team.key)
  await app.webhook({ session_id: sessionId, decision: "rejected" })
  expect(await stateOf(await caseOf(wallet))).toMatchObject({ status: "rejected", state: "closed" })
  const free = await reviewTeam(app)
  const { attestationId } = await vendorReview(app, free.key)
  const revoked = await free.officer.mutate("attestation.revoke", { id: attestationId, reason: "x" })
  expect(revoked.status).toBe(200)
})
