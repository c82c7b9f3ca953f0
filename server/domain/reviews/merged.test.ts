import { beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { newId } from "#server/lib/ids.ts"
import { newWallet } from "#test/fixtures/app.ts"
import { decide, reviewTeam, vendorReview } from "#test/fixtures/reviews.ts"
import { walletOn } from "#test/fixtures/siws.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"
import { newSigningWallet } from "#test/fixtures/wallet.ts"
import { openReview } from "./open.ts"

let team: Awaited<ReturnType<typeof reviewTeam>>

usesApp()
beforeAll(async () => {
  team = await reviewTeam(app)
})

const send = async (path: string, json: object) =>
  (await app.request({ method: "POST", path, key: team.key.apiKey, json })).json
const textsOf = async (reviewId: string) =>
  (await sql<{ text: Buffer | null }[]>`select text from review_entries where review_id = ${reviewId}`).map(
    ({ text }) => text,
  )
const investorOf = async (wallet: string): Promise<string> =>
  (await sql`select investor_id from attestations where wallet = ${wallet} order by seq desc limit 1`)[0]!.investor_id
const signalled = (investorId: string) =>
  sql.begin((sql) =>
    openReview(sql, {
      workspaceId: team.key.workspaceId,
      kind: "signal",
      about: { investorId },
      finding: "watchlist_match",
      detail: "Jane Doe, born 1970",
    }),
  )
const startAs = (userPubkey: string, externalId: string) =>
  send("/kyc/start", { userPubkey, schemaId: "accredited_investor_v1", externalId })

/** A verified wallet of a person without an external id, a signal about them, and the investor they are merged into. */
async function mergedWithSignal() {
  const name = newId("evt")
  const known = newWallet()
  await startAs(known, name)
  const signer = newSigningWallet()
  const { wallet } = await app.verifiedWallet(team.key, signer.address)
  const before = await investorOf(wallet)
  const { reviewId } = await signalled(before)
  const { session_id } = await startAs(wallet, name)
  await sql`update attestations set wallet_proof_required = true where session_id = ${session_id}`
  expect((await walletOn(app, session_id).sign(signer)).status).toBe(200)
  const investorId = await investorOf(wallet)
  expect(investorId).not.toBe(before)
  return { wallet, known, reviewId, investorId }
}

test("a signal about a merged investor applies to the one they were merged into, and so does its decision", async () => {
  const { wallet, reviewId, investorId } = await mergedWithSignal()
  const shown = (await team.officer.query("review.get", { review_id: reviewId })).data
  expect(shown.investor_id).toBe(investorId)
  expect(shown.attestations.map((one: { wallet: string }) => one.wallet)).toContain(wallet)
  expect((await decide(team.officer, reviewId, { decision: "revoke" })).status).toBe(200)
  await app.waitForStatus(team.key, wallet, "rejected")
  const left = await sql`
    select id from attestations where investor_id = ${investorId} and status in ('pending', 'verified')`
  expect(left).toEqual([])
})

test("and it is erased with that investor", async () => {
  const { reviewId, investorId } = await mergedWithSignal()
  expect((await send(`/investor/${investorId}/erase`, {})).investor_id).toBe(investorId)
  expect(await textsOf(reviewId)).toEqual([null])
  const [row] = await sql`select state, ending from reviews where id = ${reviewId}`
  expect(row).toEqual({ state: "closed", ending: "erased" })
})

test("a reason and a note cannot be blank", async () => {
  const { reviewId } = await vendorReview(app, team.key)
  const noted = await team.officer.mutate("review.note", { review_id: reviewId, text: "  " })
  expect(noted.error).toMatchObject({
    error: "validation_failed",
    detail: "text: must contain a visible character.",
  })
  const decided = await decide(team.officer, reviewId, { decision: "reject", reason: " " })
  expect(decided.error).toMatchObject({
    error: "validation_failed",
    detail: "reason: must contain a visible character.",
  })
})
