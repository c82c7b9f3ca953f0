import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { deployment } from "#server/domain/deployment/deployment.ts"
import { providers } from "#server/domain/providers/table.ts"
import { newWallet, startTestApp, type TestApp, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { member } from "#test/fixtures/people.ts"
import { noTransactionIsOpen } from "#test/matchers/open-transactions.ts"
import { exampleId } from "#test/vendor/example-id.ts"
import { startVendor, type Vendor } from "#test/vendor/server.ts"

// Asks vendors to delete a person's data over real HTTP, until they have.
const ACCREDITED = "accredited_investor_v1"

let vendor: Vendor
let app: TestApp
let key: TestKey

beforeAll(async () => {
  vendor = await startVendor()
  const settings = { ...vendor.settings, VOUCH_TEST_PROVIDER: `sandbox ${ACCREDITED}=exampleid` }
  app = await startTestApp(
    { ...settings, VOUCH_EXAMPLEID_DEADLINE_MS: "1000" },
    { providers: [...providers, exampleId] },
  )
  key = await app.key()
  vendor.reportTo(`${app.origin}/v1/kyc/webhook/exampleid`)
})
afterEach(() => vendor.misbehave(null))
afterAll(async () => {
  await app.stop()
  await vendor.stop()
})

const flow = () => {
  const { flow } = deployment.providers.test.configured.get("exampleid")!
  if (flow.kind !== "redirect") throw new Error("Example ID has its own page")
  return flow
}

/** A session that the vendor knows, and its id there. */
async function known(wallet = newWallet(), by = key) {
  const { sessionId } = await app.startSession(by, wallet, ACCREDITED)
  await goOn(sessionId)
  const [check] = vendor.opened(sessionId)
  return { wallet, sessionId, reference: check!.id }
}

/** Continues to the vendor's page, as the hosted page does. */
async function goOn(sessionId: string): Promise<void> {
  const response = await fetch(`${app.origin}/api/trpc/verification.continue`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ sessionId, consent: true }),
  })
  if (response.status !== 200) throw new Error(`going on answered ${response.status}`)
}

const erase = async (wallet: string, by = key) => {
  const path = `/wallets/${wallet}/erase`
  return (await app.request({ method: "POST", path, key: by.apiKey, json: {} })).json
}
const read = async (id: string) =>
  (await app.request({ method: "GET", path: `/erasure/${id}`, key: key.apiKey })).json.vendor_redactions
const isDone = (id: string) =>
  waitFor(async () => (await read(id)).every((one: { status: string }) => one.status === "done"), "the vendor")

test("the vendor is asked to delete its data, and only a record of the deletion is kept", async () => {
  const { wallet, sessionId, reference } = await known()
  await vendor.report(sessionId, "passed")
  await app.waitForStatus(key, wallet, "verified")
  const erasure = await erase(wallet)
  expect(erasure.vendor_redactions).toEqual([{ provider: "exampleid", status: expect.any(String), done_at: null }])
  await isDone(erasure.erasure_id)
  expect(vendor.hasRedacted(reference)).toBe(true)
  expect(await read(erasure.erasure_id)).toEqual([
    { provider: "exampleid", status: "done", done_at: expect.any(String) },
  ])
  const [row] = await sql`
    select reference from vendor_redactions where erasure_id = ${erasure.erasure_id}`
  expect(row!.reference).toBeNull()
})

test("every check that the vendor opened for a session is deleted, not only the last one", async () => {
  const { wallet, sessionId, reference } = await known()
  const { resumeSession } = flow()
  // As with vendors that open another check for another submission: Veriff, Didit, Stripe and Persona.
  flow().resumeSession = (session) => flow().createSession({ ...session, sessionId: `${sessionId}again` })
  try {
    await vendor.report(sessionId, "more_needed")
    await goOn(sessionId)
  } finally {
    flow().resumeSession = resumeSession
  }
  const [second] = vendor.opened(`${sessionId}again`)
  expect(second!.id).not.toBe(reference)
  const erasure = await erase(wallet)
  expect(erasure.vendor_redactions).toHaveLength(2)
  await isDone(erasure.erasure_id)
  expect([reference, second!.id].map((id) => vendor.hasRedacted(id))).toEqual([true, true])
  const [row] = await sql`select earlier_references from attestations where session_id = ${sessionId}`
  expect(row!.earlier_references).toBeNull()
})

test.each([
  ["erased", (wallet: string) => `/wallets/${wallet}/erase`],
  ["cancelled", (_wallet: string, sessionId: string) => `/kyc/session/${sessionId}/cancel`],
])("a check that the vendor opens while its session is %s is deleted too", async (_how, pathOf) => {
  const { wallet, sessionId } = await app.startSession(key, newWallet(), ACCREDITED)
  const { createSession } = flow()
  flow().createSession = async (session) => {
    const opened = await createSession(session)
    const path = pathOf(wallet, sessionId)
    expect((await app.request({ method: "POST", path, key: key.apiKey, json: {} })).status).toBe(200)
    return opened
  }
  try {
    await goOn(sessionId)
  } finally {
    flow().createSession = createSession
  }
  const { erasure_id } = await erase(wallet)
  await isDone(erasure_id)
  expect(vendor.hasRedacted(vendor.opened(sessionId)[0]!.id)).toBe(true)
})

test("a session with too many checks opens no more, because each would have to be deleted", async () => {
  const { sessionId } = await known()
  const many = Array.from({ length: 50 }, (_, n) => `check-${n}`)
  await sql`
    update attestations set earlier_references = ${many}, provider_link = null, provider_link_until = null
    where session_id = ${sessionId}`
  await expect(goOn(sessionId)).rejects.toThrow("answered 503")
})

test("an unreachable vendor is asked again until it has deleted, and its id stays sealed", async () => {
  const { wallet, reference } = await known()
  vendor.misbehave("fails")
  const { erasure_id } = await erase(wallet)
  const attempts = async () => {
    const [row] = await sql`
      select attempts, reference, status from vendor_redactions where erasure_id = ${erasure_id}`
    return row!
  }
  await waitFor(async () => (await attempts()).attempts >= 1, "the vendor to be asked")
  expect((await attempts()).reference.toString("latin1")).not.toContain(reference)
  expect(await read(erasure_id)).toMatchObject([{ status: "requested" }])
  // After hours it shows as failed, and the attempts continue.
  await sql`update vendor_redactions set attempts = 6 where erasure_id = ${erasure_id}`
  expect(await read(erasure_id)).toMatchObject([{ status: "failed" }])
  vendor.misbehave(null)
  await waitFor(async () => {
    await sql`
      update vendor_redactions set next_attempt_at = now() - interval '1 second'
      where erasure_id = ${erasure_id} and status = 'requested'`
    return (await read(erasure_id))[0].status === "done"
  }, "the vendor to be asked again")
  expect(vendor.hasRedacted(reference)).toBe(true)
})

test("a record that another wallet of the person uses is kept until that wallet is erased", async () => {
  const first = await known()
  const second = newWallet()
  const { sessionId } = await app.startSession(key, second, ACCREDITED)
  // A vendor that keeps people has one record for both wallets.
  await sql`
    update attestations set provider = 'exampleid', provider_reference = ${first.reference}
    where session_id = ${sessionId}`
  const kept = await erase(first.wallet)
  expect(kept.vendor_redactions).toEqual([{ provider: "exampleid", status: "kept", done_at: null }])
  expect(vendor.hasRedacted(first.reference)).toBe(false)
  await isDone((await erase(second)).erasure_id)
  expect(vendor.hasRedacted(first.reference)).toBe(true)
})

test("if the vendor's API cannot delete, a member sees what to ask for and confirms when it is done", async () => {
  const { browser, account } = await member(app)
  const own = await app.key({ account })
  const { wallet, reference } = await known(newWallet(), own)
  const { redact } = flow()
  flow().redact = null
  try {
    const { investor_id, vendor_redactions } = await erase(wallet, own)
    expect(vendor_redactions).toMatchObject([{ status: "not_supported" }])
    const [open] = (await browser.query("erasure.redactions", { investorId: investor_id })).data
    expect(open).toMatchObject({ provider: "Example ID", status: "not_supported", reference })
    const stranger = (await member(app)).browser
    expect((await stranger.query("erasure.redactions", { investorId: investor_id })).data).toEqual([])
    expect((await stranger.mutate("erasure.confirm", { id: open.id })).error.error).toBe("erasure_not_found")
    const viewer = (await member(app, { role: "viewer", account })).browser
    expect((await viewer.mutate("erasure.confirm", { id: open.id })).error.error).toBe("insufficient_scope")
    for (let n = 0; n < 2; n++) expect((await browser.mutate("erasure.confirm", { id: open.id })).status).toBe(200)
    expect((await browser.query("erasure.redactions", { investorId: investor_id })).data).toMatchObject([
      { status: "done", reference: null },
    ])
    const said = await sql`
      select detail from audit_entries
      where workspace_id = ${own.workspaceId} and action = 'investor.vendor_confirmed'`
    expect([...said]).toEqual([{ detail: { provider: "Example ID" } }])
  } finally {
    flow().redact = redact
  }
})

test("while waiting for a vendor, the erasure is done and no transaction is open", async () => {
  const { wallet, reference } = await known()
  const { redact } = flow()
  let release = () => {}
  flow().redact = () =>
    new Promise<void>((resolve) => {
      release = resolve
    })
  try {
    const { erasure_id } = await erase(wallet)
    const [row] = await sql`
      select claims is null and provider_reference is null as erased from attestations where wallet = ${wallet}`
    expect(row).toEqual({ erased: true })
    await noTransactionIsOpen()
    await waitFor(async () => {
      release()
      return (await read(erasure_id))[0].status === "done"
    }, "the vendor to answer")
  } finally {
    flow().redact = redact
  }
  expect(vendor.hasRedacted(reference)).toBe(false)
})
