import { Keypair, PublicKey } from "@solana/web3.js"
import { afterAll, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { providers } from "#server/domain/providers/table.ts"
import { addressOf } from "#server/solana/addresses.ts"
import type { Mode } from "#shared/mode.ts"
import { newWallet, startTestApp, type TestApp } from "#test/fixtures/app.ts"
import { member } from "#test/fixtures/people.ts"
import { callPage, walletOn } from "#test/fixtures/siws.ts"
import { newSigningWallet } from "#test/fixtures/wallet.ts"
import { exampleId } from "#test/vendor/example-id.ts"
import { startVendor, type Vendor } from "#test/vendor/server.ts"

// When proof of the wallet is required.
const INDIVIDUAL = "kyc_individual_v1"
const ACCREDITED = "accredited_investor_v1"
let vendor: Vendor
let app: TestApp
let owner: Awaited<ReturnType<typeof member>>

beforeAll(async () => {
  vendor = await startVendor()
  const chosen = `sandbox ${ACCREDITED}=exampleid`
  const settings = { ...vendor.settings, VOUCH_LIVE_PROVIDER: chosen, VOUCH_TEST_PROVIDER: chosen }
  app = await startTestApp(settings, { providers: [...providers, exampleId] })
  vendor.reportTo(`${app.origin}/v1/kyc/webhook/exampleid`)
  owner = await member(app)
})
afterAll(async () => {
  await app.stop()
  await vendor.stop()
})

const offCurve = () => {
  const [address] = PublicKey.findProgramAddressSync([Keypair.generate().publicKey.toBytes()], PublicKey.default)
  return addressOf(address)
}
const required = async (sessionId: string) => {
  const [row] = await sql`select wallet_proof_required from attestations where session_id = ${sessionId}`
  return row!.wallet_proof_required
}
const keyOf = (mode: Mode) => app.key({ mode, account: owner.account })
const schemaOf = async (apiKey: string, id: string) => {
  const { json } = await app.request({ method: "GET", path: "/schemas", key: apiKey })
  return json.data.find((schema: { id: string }) => schema.id === id)
}

test.each<[Mode, string, boolean]>([
  ["live", ACCREDITED, true],
  ["live", INDIVIDUAL, false],
  ["test", ACCREDITED, false],
  ["test", INDIVIDUAL, false],
])("by default in %s mode for %s: %s", async (mode, schema, wanted) => {
  const key = await keyOf(mode)
  expect((await schemaOf(key.apiKey, schema)).wallet_proof).toBe(wanted)
  const { sessionId } = await app.startSession(key, newWallet(), schema)
  expect(await required(sessionId)).toBe(wanted)
  expect((await walletOn(app, sessionId).view()).walletProof).toBe(wanted ? "needed" : "none")
})

test("a schema can override the default for later sessions", async () => {
  const key = await keyOf("test")
  const change = (wallet_proof: boolean | null) =>
    owner.browser.mutate("schema.change", { id: INDIVIDUAL, wallet_proof })
  const wallet = newWallet()
  const before = await app.startSession(key, wallet, INDIVIDUAL)
  expect((await change(true)).data).toMatchObject({ id: INDIVIDUAL, wallet_proof: true })
  expect(await schemaOf(key.apiKey, INDIVIDUAL)).toMatchObject({ wallet_proof: true })
  // A session that has begun does not change, even if it is started again.
  expect(await app.startSession(key, wallet, INDIVIDUAL)).toEqual(before)
  expect(await required(before.sessionId)).toBe(false)
  const after = await app.startSession(key, newWallet(), INDIVIDUAL)
  expect(await required(after.sessionId)).toBe(true)

  await change(false)
  expect(await required(after.sessionId)).toBe(true)
  await change(null)
  const summary = (await owner.browser.query("schema.summary")).data.data
  expect(summary.find(({ id }: { id: string }) => id === INDIVIDUAL)).toMatchObject({
    wallet_proof: false,
    wallet_proof_setting: null,
  })
  const entries = await sql`
    select detail from audit_entries where subject = ${INDIVIDUAL} and action = 'schema.changed' order by seq`
  expect(entries.map(({ detail }) => [detail.before.wallet_proof, detail.after.wallet_proof])).toEqual([
    [null, true],
    [true, false],
    [false, null],
  ])
})

test("a schema can be created with the setting, but only with the permission", async () => {
  const made = await owner.browser.mutate("schema.create", {
    id: "proved_v1",
    name: "Proved",
    validity_days: 10,
    wallet_proof: true,
  })
  expect(made.status).toBe(200)
  const viewer = await member(app, { account: owner.account, role: "viewer" })
  expect(await viewer.browser.mutate("schema.change", { id: "proved_v1", wallet_proof: false })).toMatchObject({
    error: { error: "insufficient_scope" },
  })
  expect(await schemaOf((await keyOf("test")).apiKey, "proved_v1")).toMatchObject({ wallet_proof: true })
})

test("a smart wallet can start a session that requires proof", async () => {
  const key = await keyOf("live")
  const { sessionId } = await app.startSession(key, offCurve(), ACCREDITED)
  expect(await required(sessionId)).toBe(true)
  expect(await walletOn(app, sessionId).view()).toMatchObject({ walletProof: "needed", provesOnChain: true })
})

test("the vendor's page opens only after the wallet has signed", async () => {
  const key = await keyOf("live")
  const wallet = newSigningWallet()
  const { sessionId } = await app.startSession(key, wallet.address, ACCREDITED)
  const goOn = () => callPage(app, "continue", { sessionId, consent: true })
  expect(await goOn()).toMatchObject({ status: 422, error: { error: "wallet_proof_required" } })
  expect(vendor.opened(sessionId)).toHaveLength(0)
  expect((await walletOn(app, sessionId).sign(wallet)).status).toBe(200)
  expect((await goOn()).data).toMatchObject({
    url: expect.stringMatching(/^http/),
    view: { state: "handed_over" },
  })
  await vendor.report(sessionId, "passed")
  await app.waitForStatus(key, wallet.address, "verified")

  const [row] = await sql`select id, workspace_id from attestations where session_id = ${sessionId}`
  owner.browser.workspaceId = row!.workspace_id
  const { data } = await owner.browser.query("attestation.detail", { id: row!.id })
  expect(data.timeline.map(({ event }: { event: string }) => event).slice(0, 4)).toEqual([
    "started",
    "wallet_proved",
    "consented",
    "decided",
  ])
  expect(data.wallet_proved_at).toMatch(/Z$/)
})
