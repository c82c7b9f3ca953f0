import { beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { newWallet, type TestKey } from "#test/fixtures/app.ts"
import { investorFixture, newName } from "#test/fixtures/investors.ts"
import { type Browser, member } from "#test/fixtures/people.ts"
import { callPage, walletOn } from "#test/fixtures/siws.ts"
import { tokenFixture } from "#test/fixtures/tokens.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"
import { newSigningWallet } from "#test/fixtures/wallet.ts"
import { credentialOf } from "#test/matchers/credential.ts"

// A wallet belongs to the person for whom it was last proven or approved. Starting a session changes nothing.

let key: TestKey
let browser: Browser

usesApp()
beforeAll(async () => {
  const owner = await member(app)
  browser = owner.browser
  key = await app.key({ account: owner.account })
})

const { get, post, start, decide, verify, prove, investorOf, ownerOf } = investorFixture(() => ({ app, key }))

/** Who holds a wallet's tokens, according to each register. */
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
  ["with an external id", newName("victim")],
  ["without one", undefined],
])("a stranger who names the verified wallet of a person %s gets none of it", async (_how, victim) => {
  const tokens = tokenFixture(app, key)
  const wallet = newWallet()
  const attestation = await verify(wallet, victim)
  const config = await tokens.config()
  expect((await tokens.mint(config, wallet, "5")).status).toBe(200)
  const owner = await ownerOf(wallet)

  const mallory = newName("mallory")
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

test("a stranger's start leaves a session in review with its person, and the vendor's approval counts", async () => {
  const [wallet, victim] = [newWallet(), newName("victim")]
  const session = await start(wallet, victim)
  await decide(session, "in_review")
  const theirs = await start(wallet, newName("mallory"))
  expect(theirs).not.toBe(session)
  expect(await get(`/kyc/session/${session}`)).toMatchObject({ state: "in_review", external_id: victim })
  expect(await start(wallet, victim)).toBe(session)
  expect((await decide(session, "approved")).json.outcome).toBe("applied")
  await app.waitForStatus(key, wallet, "verified")
  expect(await ownerOf(wallet)).toMatchObject({ external_id: victim })
  // Rejecting the stranger ends none of the victim's attestations.
  await decide(theirs, "rejected")
  expect(await get(`/kyc/status/${wallet}`)).toMatchObject({ status: "verified" })
})

test("a session that was sent to one person is never returned for another", async () => {
  const [wallet, victim, mallory] = [newWallet(), newName("victim"), newName("mallory")]
  const session = await start(wallet, victim)
  const theirs = await start(wallet, mallory)
  expect(theirs).not.toBe(session)
  expect(await get(`/kyc/session/${session}`)).toMatchObject({ external_id: victim })
  expect([await start(wallet, victim), await start(wallet, mallory)]).toEqual([session, theirs])
})

test("a stranger who named the wallet first and went on to the vendor blocks no one", async () => {
  const [wallet, victim, mallory] = [newWallet(), newName("victim"), newName("mallory")]
  const theirs = await start(wallet, mallory)
  expect((await callPage(app, "submit", { sessionId: theirs, consent: true, claims: {} })).status).toBeLessThan(500)
  await decide(theirs, "in_review")
  await verify(wallet, victim)
  expect(await ownerOf(wallet)).toMatchObject({ external_id: victim })
  expect(await get(`/investor/${await investorOf(theirs)}`)).toMatchObject({ wallets: [] })
})

test("a person who proves the wallet takes over what was verified for it without an external id", async () => {
  const signer = newSigningWallet()
  const attestation = await verify(signer.address)
  const before = (await ownerOf(signer.address)).investor_id
  const session = await start(signer.address, newName("named"))
  const named = await investorOf(session)
  expect(named).not.toBe(before)
  await prove(session, signer)
  expect((await get(`/investor/${before}`)).investor_id).toBe(named)
  expect((await get(`/attestation/${attestation}`)).investor_id).toBe(named)
  expect(await ownerOf(signer.address)).toMatchObject({ investor_id: named, wallets: [signer.address] })
})

test("erasing a wallet erases its owner, and keeps the session that another person has for it", async () => {
  const wallet = newWallet()
  const attestation = await verify(wallet, newName("victim"))
  const { investor_id: owner } = await ownerOf(wallet)
  const theirs = await start(wallet, newName("mallory"))
  await decide(theirs, "in_review")
  const { json } = await post(`/wallets/${wallet}/erase`)
  expect(json).toMatchObject({ investor_id: owner, attestations: 1, revoked: 1 })
  expect(await get(`/attestation/${attestation}`)).toMatchObject({ status: "rejected", external_id: null })
  expect(await get(`/kyc/session/${theirs}`)).toMatchObject({ state: "in_review" })
  const open = await sql`
    select from reviews r join attestations a on a.workspace_id = r.workspace_id and a.id = r.attestation_id
    where a.session_id = ${theirs} and r.state = 'open'`
  expect(open).toHaveLength(1)
  // A repeat, because the response was lost, finds the same person.
  expect((await post(`/wallets/${wallet}/erase`)).json).toEqual(json)
  expect(await get(`/kyc/session/${theirs}`)).toMatchObject({ state: "in_review" })
})

test("once its owner is erased, a wallet without an external id is a new investor's, not that of another person who named it", async () => {
  const wallet = newWallet()
  await verify(wallet, newName("victim"))
  const theirs = await start(wallet, newName("mallory"))
  await post(`/wallets/${wallet}/erase`)
  const session = await start(wallet)
  expect(session).not.toBe(theirs)
  expect(await start(wallet)).toBe(session)
  expect((await get(`/investor/${await investorOf(session)}`)).external_id).toBeNull()
  // Erasing it again erases what was started since.
  expect((await post(`/wallets/${wallet}/erase`)).json).toMatchObject({ attestations: 1, revoked: 1 })
  expect(await get(`/kyc/session/${session}`)).toMatchObject({ state: "cancelled" })
  expect(await get(`/kyc/session/${theirs}`)).toMatchObject({ state: "open" })
})

test("after any order of starts, proofs, approvals, rejections and erasures, the owner matches an independent model", async () => {
  // Small random numbers, the same in every run.
  let seed = 20_261_125
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((seed / 2_147_483_648) * below)
  }
  for (let round = 0; round < 12; round++) {
    const signer = newSigningWallet()
    const names = [newName("a"), newName("b"), newName("c")]
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
        // A wallet that is already proven is not asked again.
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
