import { expect, onTestFinished, test } from "vitest"
import { sql } from "#db/client.ts"
import { endOthers } from "#server/domain/attestations/end.ts"
import { addSeconds, clock, formatDay } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import { newWallet } from "#test/fixtures/app.ts"
import { investorFixture, newName } from "#test/fixtures/investors.ts"
import { walletOn } from "#test/fixtures/siws.ts"
import { tokenFixture } from "#test/fixtures/tokens.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"
import { newSigningWallet } from "#test/fixtures/wallet.ts"
import { credentialOf } from "#test/matchers/credential.ts"

// When a wallet passes to another person, what others verified with it ends.

usesCustomer()

const { get, post, start, decide, verify, prove, ownerOf } = investorFixture(() => ({ app, key }))

test("a wallet that another person proves becomes theirs, and what was verified before ends with its own person", async () => {
  const tokens = tokenFixture(app, key)
  const [signer, seller, buyer] = [newSigningWallet(), newName("seller"), newName("buyer")]
  const wallet = signer.address
  const before = await verify(wallet, seller)
  const { investor_id: first } = await ownerOf(wallet)
  const config = await tokens.config()
  expect((await tokens.mint(config, wallet, "5")).status).toBe(200)
  const session = await start(wallet, buyer)
  await prove(session, signer)
  expect(await ownerOf(wallet)).toMatchObject({ external_id: buyer })

  // No token through the seller's verification, and no credential that another program could read.
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

test("a credential that confirms after another person has proved the wallet ends immediately", async () => {
  const [signer, seller, buyer] = [newSigningWallet(), newName("seller"), newName("buyer")]
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

test("an approval without proof does not take a wallet from a person who proved it, and waits for a proof", async () => {
  const [signer, owner, other] = [newSigningWallet(), newName("owner"), newName("other")]
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

test("an approval does not take a wallet from a person who proved it later, and its own person must sign again", async () => {
  const [signer, earlier, later] = [newSigningWallet(), newName("earlier"), newName("later")]
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
  // The earlier person signed last, so the wallet is theirs, and what follows needs no signature.
  const business = await start(wallet, earlier, "kyc_business_v1")
  await decide(business, "approved")
  await expect.poll(() => get(`/kyc/session/${business}`)).toMatchObject({ state: "verified" })
})

test("a wallet passes with the approval, even if the vendor withdraws it before the credential lands", async () => {
  const tokens = tokenFixture(app, key)
  const [wallet, first, second] = [newWallet(), newName("first"), newName("second")]
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

test("a proof and a credential that land at the same moment do not miss each other", async () => {
  const [wallet, workspaceId, now] = [newWallet() as Address, key.workspaceId, clock.now()]
  const [first, second] = [await start(wallet, newName("first")), await start(wallet, newName("second"))]
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

test("a person who becomes verified with a wallet ends what another person verified with it for another schema", async () => {
  const tokens = tokenFixture(app, key)
  const [wallet, first, second] = [newWallet(), newName("first"), newName("second")]
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
