import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { sql } from "#db/client.ts"
import { endOthers } from "#server/domain/attestations/end-others.ts"
import { newId } from "#server/lib/ids.ts"
import { addSeconds, clock, formatDay } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import { newWallet, startTestApp, type TestApp, type TestKey } from "#test/app.ts"
import { credentialOf } from "#test/credential.ts"
import { type Browser, member } from "#test/people.ts"
import { callPage, walletOn } from "#test/siws.ts"
import { tokenFixture } from "#test/tokens.ts"
import { newSigningWallet, type SigningWallet } from "#test/wallet.ts"

// A wallet belongs to the person for whom it was last proven or approved. Starting a session moves nothing.

let app: TestApp
let key: TestKey
let browser: Browser

beforeAll(async () => {
  app = await startTestApp()
  const owner = await member(app)
  browser = owner.browser
  key = await app.key({ account: owner.account })
})
afterAll(() => app.stop())

const name = (who: string) => `${who}-${newId("evt")}`
const get = async (path: string) => (await app.request({ method: "GET", path, key: key.apiKey })).json
const post = (path: string, json: object = {}) => app.request({ method: "POST", path, key: key.apiKey, json })

async function start(wallet: string, externalId?: string, schemaId = "kyc_individual_v1"): Promise<string> {
  const { status, json } = await post("/kyc/start", {
    ...{ userPubkey: wallet, schemaId },
    ...(externalId && { externalId }),
  })
  expect(status, JSON.stringify(json)).toBe(200)
  return json.session_id
}
const decide = (session_id: string, decision: string) =>
  app.webhook({
    ...{ session_id, decision },
    ...(decision === "approved" && { claims: { country: "US", age_over_18: true } }),
  })
async function verify(wallet: string, externalId?: string): Promise<string> {
  const session = await start(wallet, externalId)
  await decide(session, "approved")
  const { attestation_id } = await app.waitForStatus(key, wallet, "verified")
  return attestation_id
}
/** Signs on the page of a session, as its schema asks for. */
async function prove(session: string, signer: SigningWallet): Promise<void> {
  await sql`update attestations set wallet_proof_required = true where session_id = ${session}`
  expect((await walletOn(app, session).sign(signer)).status).toBe(200)
}
/** The investor of a session. */
const investorOf = async (sessionId: string): Promise<string> =>
  (await get(`/kyc/session/${sessionId}`)).investor_id
const ownerOf = async (wallet: string) => (await get(`/investors?wallet=${wallet}`)).data[0]

/** Who has a wallet's tokens, by each register. */
async function registers(config: string, wallet: string) {
  const query = `workspace=${key.workspaceId}&mint_config=${config}`
  const [rest, page, csv] = await Promise.all([
    get(`/token/holders/${config}`),
    browser.query("token.holders", { mint_config: config }),
    browser.fetch(`/api/export/holders.csv?${query}`).then((response) => response.text()),
  ])
  const line = csv.split("\r\n").find((one) => one.includes(wallet))!
  return [
    rest.data.find((one: { user_pubkey: string }) => one.user_pubkey === wallet).investor_id,
    page.data.data.find((one: { wallet: string }) => one.wallet === wallet).investor.investor_id,
    line.split(",")[2],
  ]
}

test.each([
  ["with an external id", name("victim")],
  ["without one", undefined],
])("a stranger who names the verified wallet of a person %s gets nothing of it", async (_how, victim) => {
  const tokens = tokenFixture(app, key)
  const wallet = newWallet()
  const attestation = await verify(wallet, victim)
  const config = await tokens.config()
  expect((await tokens.mint(config, wallet, "5")).status).toBe(200)
  const owner = await ownerOf(wallet)

  const mallory = name("mallory")
  const stranger = await investorOf(await start(wallet, mallory))
  await start(wallet, mallory, "kyc_business_v1")
  expect(stranger).not.toBe(owner.investor_id)
  expect(await get(`/investor/${stranger}`)).toMatchObject({
    ...{ external_id: mallory, wallets: [], verifications: [] },
  })
  expect(await get(`/investor/${owner.investor_id}`)).toMatchObject({
    ...{ external_id: victim ?? null, wallets: [wallet] },
    verifications: [{ attestation_id: attestation, status: "verified" }],
  })
  expect(await ownerOf(wallet)).toEqual(owner)
  expect(await registers(config, wallet)).toEqual(Array(3).fill(owner.investor_id))

  const { json } = await post(`/investor/${stranger}/erase`)
  expect(json).toMatchObject({ user_pubkeys: [], attestations: 2, revoked: 2 })
  expect(await get(`/kyc/status/${wallet}`)).toMatchObject({
    status: "verified",
    attestation_id: attestation,
  })
  expect((await credentialOf(app, key, wallet)).amount).toBe(1)
  expect(await registers(config, wallet)).toEqual(Array(3).fill(owner.investor_id))
  expect((await tokens.mint(config, wallet, "1")).status).toBe(200)
})

test("a stranger's start leaves a session in review to its person, and the vendor's approval counts", async () => {
  const [wallet, victim] = [newWallet(), name("victim")]
  const session = await start(wallet, victim)
  await decide(session, "in_review")
  const theirs = await start(wallet, name("mallory"))
  expect(theirs).not.toBe(session)
  expect(await get(`/kyc/session/${session}`)).toMatchObject({ state: "in_review", external_id: victim })
  expect(await start(wallet, victim)).toBe(session)
  expect((await decide(session, "approved")).json.outcome).toBe("applied")
  await app.waitForStatus(key, wallet, "verified")
  expect(await ownerOf(wallet)).toMatchObject({ external_id: victim })
  // Rejecting the stranger ends nothing of the victim's.
  await decide(theirs, "rejected")
  expect(await get(`/kyc/status/${wallet}`)).toMatchObject({ status: "verified" })
})

test("a session that was sent to one person is never returned for another", async () => {
  const [wallet, victim, mallory] = [newWallet(), name("victim"), name("mallory")]
  const session = await start(wallet, victim)
  const theirs = await start(wallet, mallory)
  expect(theirs).not.toBe(session)
  expect(await get(`/kyc/session/${session}`)).toMatchObject({ external_id: victim })
  expect([await start(wallet, victim), await start(wallet, mallory)]).toEqual([session, theirs])
})

test("a stranger who named the wallet first, and went on to the vendor, keeps no one from it", async () => {
  const [wallet, victim, mallory] = [newWallet(), name("victim"), name("mallory")]
  const theirs = await start(wallet, mallory)
  expect(
    (await callPage(app, "submit", { sessionId: theirs, consent: true, claims: {} })).status,
  ).toBeLessThan(500)
  await decide(theirs, "in_review")
  await verify(wallet, victim)
  expect(await ownerOf(wallet)).toMatchObject({ external_id: victim })
  expect(await get(`/investor/${await investorOf(theirs)}`)).toMatchObject({ wallets: [] })
})

test("a person who proves the wallet takes over what was verified for it without a name", async () => {
  const signer = newSigningWallet()
  const attestation = await verify(signer.address)
  const before = (await ownerOf(signer.address)).investor_id
  const session = await start(signer.address, name("named"))
  const named = await investorOf(session)
  expect(named).not.toBe(before)
  await prove(session, signer)
  expect((await get(`/investor/${before}`)).investor_id).toBe(named)
  expect((await get(`/attestation/${attestation}`)).investor_id).toBe(named)
  expect(await ownerOf(signer.address)).toMatchObject({ investor_id: named, wallets: [signer.address] })
})

test("a wallet that another person proves is theirs, and what was verified before ends with its own person", async () => {
  const tokens = tokenFixture(app, key)
  const [signer, seller, buyer] = [newSigningWallet(), name("seller"), name("buyer")]
  const wallet = signer.address
  const before = await verify(wallet, seller)
  const { investor_id: first } = await ownerOf(wallet)
  const config = await tokens.config()
  expect((await tokens.mint(config, wallet, "5")).status).toBe(200)
  const session = await start(wallet, buyer)
  await prove(session, signer)
  expect(await ownerOf(wallet)).toMatchObject({ external_id: buyer })

  // No token by the verification of the seller, and no credential that another program could read.
  expect((await tokens.mint(config, wallet, "5")).json.error).toBe("wallet_not_verified")
  expect(await get(`/kyc/status/${wallet}`)).toMatchObject({ status: "pending" })
  expect(await get(`/attestation/${before}`)).toMatchObject({ status: "expired", investor_id: first })
  await expect.poll(async () => (await credentialOf(app, key, wallet)).amount).toBe(0)

  await decide(session, "approved")
  await app.waitForStatus(key, wallet, "verified")
  const { attestation_id: now } = await get(`/kyc/session/${session}`)
  expect(await get(`/kyc/status/${wallet}`)).toMatchObject({ attestation_id: now })
  expect((await credentialOf(app, key, wallet)).amount).toBe(1)
  expect((await tokens.mint(config, wallet, "5")).status).toBe(200)
  expect(await get(`/investor/${first}`)).toMatchObject({ external_id: seller, wallets: [] })
  expect((await post(`/investor/${first}/erase`)).json).toMatchObject({ attestations: 1, revoked: 0 })
  expect(await get(`/kyc/status/${wallet}`)).toMatchObject({ status: "verified", attestation_id: now })
})

test("a credential that confirms after another person has proved the wallet ends at once", async () => {
  const [signer, seller, buyer] = [newSigningWallet(), name("seller"), name("buyer")]
  const wallet = signer.address
  const [first, second] = [await start(wallet, seller), await start(wallet, buyer)]
  // The chain does not answer until the wallet is proved.
  await app.faults({ drop: 1 })
  onTestFinished(() => app.faults({}))
  await decide(first, "approved")
  await prove(second, signer)
  const [row] = await sql`select status, issued_at from attestations where session_id = ${first}`
  expect(row).toEqual({ status: "pending", issued_at: expect.any(Date) })
  await app.faults({})
  const { attestation_id } = await get(`/kyc/session/${first}`)
  await expect.poll(() => get(`/attestation/${attestation_id}`)).toMatchObject({ status: "expired" })
  await expect.poll(async () => (await credentialOf(app, key, wallet)).amount).toBe(0)
  expect(await ownerOf(wallet)).toMatchObject({ external_id: buyer })
})

test("an approval without proof takes no wallet from a person who proved it, and waits for the proof", async () => {
  const [signer, owner, other] = [newSigningWallet(), name("owner"), name("other")]
  const wallet = signer.address
  const proved = await start(wallet, owner)
  await prove(proved, signer)
  await decide(proved, "approved")
  await app.waitForStatus(key, wallet, "verified")
  const status = await get(`/kyc/status/${wallet}`)

  const session = await start(wallet, other)
  expect((await decide(session, "approved")).status).toBe(200)
  expect(await get(`/kyc/status/${wallet}`)).toEqual(status)
  expect(await ownerOf(wallet)).toMatchObject({ external_id: owner })
  expect(await get(`/kyc/session/${session}`)).toMatchObject({ state: "open" })

  expect((await walletOn(app, session).sign(signer)).status).toBe(200)
  expect(await ownerOf(wallet)).toMatchObject({ external_id: other })
  await expect.poll(() => get(`/kyc/session/${session}`)).toMatchObject({ state: "verified" })
})

test("an approval takes no wallet from a person who proved it later, and its own person signs again", async () => {
  const [signer, earlier, later] = [newSigningWallet(), name("earlier"), name("later")]
  const wallet = signer.address
  const session = await start(wallet, earlier)
  await prove(session, signer)
  await decide(session, "in_review")
  const theirs = await start(wallet, later)
  await prove(theirs, signer)
  await decide(theirs, "approved")
  await app.waitForStatus(key, wallet, "verified")

  await decide(session, "approved")
  expect(await ownerOf(wallet)).toMatchObject({ external_id: later })
  expect(await get(`/kyc/session/${session}`)).toMatchObject({ state: "open" })
  expect((await walletOn(app, session).sign(signer)).status).toBe(200)
  expect(await ownerOf(wallet)).toMatchObject({ external_id: earlier })
  await expect.poll(() => get(`/kyc/session/${session}`)).toMatchObject({ state: "verified" })
  // The wallet is theirs by their last signature, so what follows needs none.
  const business = await start(wallet, earlier, "kyc_business_v1")
  await decide(business, "approved")
  await expect.poll(() => get(`/kyc/session/${business}`)).toMatchObject({ state: "verified" })
})

test("a wallet passes with the approval, even if the vendor withdraws it before the credential lands", async () => {
  const tokens = tokenFixture(app, key)
  const [wallet, first, second] = [newWallet(), name("first"), name("second")]
  const before = await verify(wallet, first)
  const config = await tokens.config()
  await app.faults({ drop: 1 })
  onTestFinished(() => app.faults({}))
  const session = await start(wallet, second, "kyc_business_v1")
  await decide(session, "approved")
  expect(await get(`/attestation/${before}`)).toMatchObject({ status: "expired" })
  await decide(session, "rejected")
  await app.faults({})
  expect(await ownerOf(wallet)).toMatchObject({ external_id: second })
  const { json } = await tokens.mint(config, wallet, "5")
  expect(json.error).toBe("wallet_not_verified")
  const [row] = await sql`select ended_at from attestations where id = ${before}`
  expect(json.detail).toContain(`its attestation expired on ${formatDay(row!.ended_at)}`)
  await expect.poll(async () => (await credentialOf(app, key, wallet)).amount).toBe(0)
})

test("a proof and a credential that lands at the same moment do not miss each other", async () => {
  const [wallet, workspaceId, now] = [newWallet() as Address, key.workspaceId, clock.now()]
  const [first, second] = [await start(wallet, name("first")), await start(wallet, name("second"))]
  const minuteAgo = addSeconds(now, -60)
  const [isProved, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const proving = sql.begin(async (sql) => {
    await sql`update attestations set wallet_proved_at = ${now} where session_id = ${second}`
    await endOthers(sql, { workspaceId, wallets: [wallet], now })
    isProved.resolve()
    await mayCommit.promise
  })
  await isProved.promise
  const landing = sql.begin(async (sql) => {
    await sql`
      update attestations set status = 'verified', verified_at = ${now}, issued_at = ${minuteAgo}, approved_at = ${minuteAgo},
        expires_at = ${addSeconds(now, 3600)}, open_until = null, onchain_tx = 'landed' where session_id = ${first}`
    await endOthers(sql, { workspaceId, wallets: [wallet], now })
  })
  const waiting = await Promise.race([landing, new Promise((resolve) => setTimeout(resolve, 300, "waiting"))])
  mayCommit.resolve()
  await Promise.all([proving, landing])
  expect(waiting).toBe("waiting")
  const [row] = await sql`select status from attestations where session_id = ${first}`
  expect(row!.status).toBe("expired")
})

test("a person who becomes verified with a wallet ends what another verified with it for another schema", async () => {
  const tokens = tokenFixture(app, key)
  const [wallet, first, second] = [newWallet(), name("first"), name("second")]
  const before = await verify(wallet, first)
  const config = await tokens.config()
  expect((await tokens.mint(config, wallet, "5")).status).toBe(200)
  const session = await start(wallet, second, "kyc_business_v1")
  await decide(session, "approved")
  await expect.poll(() => get(`/kyc/session/${session}`)).toMatchObject({ state: "verified" })
  expect(await ownerOf(wallet)).toMatchObject({ external_id: second })
  expect(await get(`/attestation/${before}`)).toMatchObject({ status: "expired" })
  expect((await tokens.mint(config, wallet, "5")).json.error).toBe("wallet_not_verified")
})

test("erasing a wallet erases its owner, and leaves the session that another person has for it", async () => {
  const wallet = newWallet()
  const attestation = await verify(wallet, name("victim"))
  const { investor_id: owner } = await ownerOf(wallet)
  const theirs = await start(wallet, name("mallory"))
  await decide(theirs, "in_review")
  const { json } = await post(`/wallets/${wallet}/erase`)
  expect(json).toMatchObject({ investor_id: owner, attestations: 1, revoked: 1 })
  expect(await get(`/attestation/${attestation}`)).toMatchObject({ status: "rejected", external_id: null })
  expect(await get(`/kyc/session/${theirs}`)).toMatchObject({ state: "in_review" })
  const open = await sql`
    select from reviews r join attestations a on a.workspace_id = r.workspace_id and a.id = r.attestation_id
    where a.session_id = ${theirs} and r.state = 'open'`
  expect(open).toHaveLength(1)
  // Sent again, because the answer was lost, it finds the same person.
  expect((await post(`/wallets/${wallet}/erase`)).json).toEqual(json)
  expect(await get(`/kyc/session/${theirs}`)).toMatchObject({ state: "in_review" })
})

test("after its owner was erased, a wallet that is named alone is a new investor's, and not another person's who named it", async () => {
  const wallet = newWallet()
  await verify(wallet, name("victim"))
  const theirs = await start(wallet, name("mallory"))
  await post(`/wallets/${wallet}/erase`)
  const session = await start(wallet)
  expect(session).not.toBe(theirs)
  expect(await start(wallet)).toBe(session)
  expect((await get(`/investor/${await investorOf(session)}`)).external_id).toBeNull()
  // Erased again, it is what was begun since that goes.
  expect((await post(`/wallets/${wallet}/erase`)).json).toMatchObject({ attestations: 1, revoked: 1 })
  expect(await get(`/kyc/session/${session}`)).toMatchObject({ state: "cancelled" })
  expect(await get(`/kyc/session/${theirs}`)).toMatchObject({ state: "open" })
})

test("whatever is started, proven, approved, rejected and erased, in any order: the owner is as an independent model says", async () => {
  // Small random numbers, the same in every run.
  let seed = 20_261_125
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((seed / 2_147_483_648) * below)
  }
  for (let round = 0; round < 12; round++) {
    const signer = newSigningWallet()
    const names = [name("a"), name("b"), name("c")]
    /** The newest session of each person, and the person who last proved the wallet or was approved with it. */
    const sessions = new Map<string, string>()
    let first: string | null = null
    let owner: string | null = null
    for (let step = 0; step < 10; step++) {
      const who = names[random(3)]!
      const act = random(4)
      const session = sessions.get(who)
      if (session === undefined || act === 0) {
        sessions.set(who, await start(signer.address, who))
        first ??= who
      } else if (act === 1) {
        await sql`
          update attestations set wallet_proof_required = true where session_id = ${session} and status = 'pending'`
        const page = walletOn(app, session)
        const asked = await page.call("askForProof")
        // One that has proved it already is not asked again.
        if (asked.status !== 200) continue
        const { text } = asked.data
        expect((await page.prove(text, signer.sign(Buffer.from(text)))).status).toBe(200)
        owner = who
      } else {
        const { json } = await decide(session, act === 2 ? "approved" : "rejected")
        const [row] = await sql`select issued_at, held_at from attestations where session_id = ${session}`
        if (json.outcome === "applied" && act === 2 && row!.issued_at !== null) owner = who
        sessions.delete(who)
      }
      expect((await ownerOf(signer.address)).external_id, `round ${round}, step ${step}`).toBe(owner ?? first)
    }
  }
})
