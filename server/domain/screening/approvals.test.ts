import { afterAll, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { addSeconds, clock } from "#server/lib/time.ts"
import { newWallet, startTestApp, type TestApp, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { officerOf, type TestList, testList, waitForEntries } from "#test/fixtures/screening.ts"
import { walletOn } from "#test/fixtures/siws.ts"

// Wallets that are listed after their verification has begun.
let app: TestApp
let list: TestList
const listed: string[] = [newWallet()]

beforeAll(async () => {
  list = await testList("ofac.txt", listed)
  app = await startTestApp({ VOUCH_SANCTIONS_LIST: list.path })
})
afterAll(async () => {
  await app.stop()
  await list.remove()
})

type Started = { key: TestKey; wallet: string; sessionId: string }

/** A session that the vendor approved while its wallet is on the list. */
async function held(beforeListed: (started: Started) => Promise<void> = async () => {}) {
  const officer = await officerOf(app)
  const { wallet, sessionId } = await app.startSession(officer.key)
  await beforeListed({ key: officer.key, wallet, sessionId })
  listed.push(wallet)
  await list.write(listed)
  await waitForEntries(app, listed.length)
  const decidedAt = addSeconds(clock.now(), -60)
  const sent = () =>
    app.webhook({
      session_id: sessionId,
      decision: "approved",
      occurred_at: decidedAt.toISOString(),
      claims: { country: "US" },
    })
  expect((await sent()).json.outcome).toBe("applied")
  const reviews = await sql<{ id: string }[]>`
    select id from reviews where workspace_id = ${officer.key.workspaceId} and kind = 'screening'`
  expect(reviews).toHaveLength(1)
  const status = async () =>
    (await app.request({ method: "GET", path: `/kyc/status/${wallet}`, key: officer.key.apiKey })).json.status
  const operations = () =>
    sql`select kind from operations where workspace_id = ${officer.key.workspaceId} and wallet = ${wallet}`
  return { officer, wallet, sessionId, decidedAt, reviewId: reviews[0]!.id, status, operations, sent }
}

test("an approval of a listed wallet is held and issues nothing; a repeat changes nothing", async () => {
  const { status, operations, sent, sessionId, officer } = await held()
  expect((await sent()).json.outcome).not.toBe("applied")
  expect(await status()).toBe("pending")
  expect(await operations()).toEqual([])
  const path = "/kyc/sessions"
  const { json } = await app.request({ method: "GET", path, key: officer.key.apiKey })
  expect(json.data.find((one: { session_id: string }) => one.session_id === sessionId)).toBeDefined()
})

test("after clearing, the approval counts from the vendor's decision, with its claims", async () => {
  const { officer, wallet, reviewId, decidedAt } = await held()
  await officer.decide(reviewId, "clear")
  const { attestation_id } = await app.waitForStatus(officer.key, wallet, "verified")
  const [row] = await sql`select issued_at, claims from attestations where id = ${attestation_id}`
  expect(row!.issued_at.getTime()).toBe(Math.floor(decidedAt.getTime() / 1000) * 1000)
  expect(row!.claims).not.toBeNull()
})

test("after clearing, the approval waits for this person's signature if another person proved the wallet", async () => {
  let other = ""
  const { officer, sessionId, reviewId, operations } = await held(async ({ key, wallet, sessionId }) => {
    const occurred_at = addSeconds(clock.now(), -120).toISOString()
    await app.webhook({ session_id: sessionId, decision: "in_review", occurred_at })
    const json = { userPubkey: wallet, schemaId: "kyc_individual_v1", externalId: "another-person" }
    other = (await app.request({ method: "POST", path: "/kyc/start", key: key.apiKey, json })).json.session_id
  })
  expect(other).not.toBe(sessionId)
  await sql`update attestations set wallet_proved_at = now() where session_id = ${other}`
  const page = walletOn(app, sessionId)
  expect((await page.view()).walletProof).toBe("none")
  await officer.decide(reviewId, "clear")
  expect(await operations()).toEqual([])
  expect((await page.view()).walletProof).toBe("needed")
})

test("revoking in the review rejects the session, and nothing is issued", async () => {
  const { officer, wallet, reviewId, operations } = await held()
  await officer.decide(reviewId, "revoke")
  await app.waitForStatus(officer.key, wallet, "rejected")
  expect(await operations()).toEqual([])
})

test("when a wallet leaves the list, its approval is applied", async () => {
  const { officer, wallet } = await held()
  listed.splice(listed.indexOf(wallet), 1)
  await list.write(listed)
  await waitForEntries(app, listed.length)
  await app.waitForStatus(officer.key, wallet, "verified")
})

test("a vendor's rejection ends a held approval", async () => {
  const { officer, wallet, sessionId, operations } = await held()
  await app.webhook({ session_id: sessionId, decision: "rejected" })
  await waitFor(
    async () =>
      (
        await sql`select status from attestations where workspace_id = ${officer.key.workspaceId} and wallet = ${wallet}`
      )[0]!.status === "rejected",
    "the rejection",
  )
  expect(await operations()).toEqual([])
})

test("erasing the wallet's owner leaves a review for another person's held session", async () => {
  const officer = await officerOf(app)
  const { key } = officer
  const wallet = newWallet()
  const start = async (externalId: string) => {
    const json = { userPubkey: wallet, schemaId: "kyc_individual_v1", externalId }
    return (await app.request({ method: "POST", path: "/kyc/start", key: key.apiKey, json })).json.session_id
  }
  const approve = (session_id: string) => app.webhook({ session_id, decision: "approved", claims: { country: "US" } })
  const reviews = () => sql<{ id: string; state: string }[]>`
    select id, state from reviews where workspace_id = ${key.workspaceId} and kind = 'screening' order by seq`
  await approve(await start("the-owner"))
  await app.waitForStatus(key, wallet, "verified")
  const another = await start("another-person")
  listed.push(wallet)
  await list.write(listed)
  await waitForEntries(app, listed.length)
  await approve(another)
  expect(await reviews()).toMatchObject([{ state: "open" }])

  const erase = (path: string) => app.request({ method: "POST", path, key: key.apiKey, json: {} })
  expect((await erase(`/wallets/${wallet}/erase`)).json).toMatchObject({ attestations: 1 })
  const [closed, open, ...none] = await reviews()
  expect([closed!.state, open!.state, none]).toEqual(["closed", "open", []])
  await officer.decide(open!.id, "clear")
  const { attestation_id } = await app.waitForStatus(key, wallet, "verified")
  const { json } = await app.request({ method: "GET", path: `/kyc/session/${another}`, key: key.apiKey })
  expect(json.attestation_id).toBe(attestation_id)
})

test("a wallet whose review was closed by an erasure is reviewed again at the next refusal", async () => {
  const { officer, wallet } = await held()
  const { key } = officer
  const post = (path: string, json: object) => app.request({ method: "POST", path, key: key.apiKey, json })
  await post(`/wallets/${wallet}/erase`, {})
  const open = () => sql`
    select id from reviews where workspace_id = ${key.workspaceId} and kind = 'screening' and state = 'open'`
  expect(await open()).toEqual([])
  const again = await post("/kyc/start", { userPubkey: wallet, schemaId: "kyc_individual_v1" })
  expect(again).toMatchObject({ status: 403, json: { error: "wallet_sanctioned" } })
  expect(await open()).toHaveLength(1)
})
