import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { eraseWallet } from "#server/domain/attestations/erase.ts"
import { deployment } from "#server/domain/deployment.ts"
import { chooseProviders } from "#server/domain/kyc/providers/choose.ts"
import { providers } from "#server/domain/kyc/providers/table.ts"
import { requireChosenSchemas } from "#server/domain/kyc/schemas/chosen.ts"
import { parseSettings } from "#server/settings/env.ts"
import { newWallet, startTestApp, type TestApp, type TestKey, waitFor } from "#test/app.ts"
import { exampleId } from "#test/vendor/example-id.ts"
import { type Fault, startVendor, type Vendor } from "#test/vendor/server.ts"

// A provider with a page of its own: another company's server, over real HTTP.
const INDIVIDUAL = "kyc_individual_v1"
const ACCREDITED = "accredited_investor_v1"
const table = [...providers, exampleId]

let vendor: Vendor
let app: TestApp
let key: TestKey

beforeAll(async () => {
  vendor = await startVendor()
  const settings = { ...vendor.settings, VOUCH_TEST_PROVIDER: `sandbox ${ACCREDITED}=exampleid` }
  app = await startTestApp({ ...settings, VOUCH_EXAMPLEID_DEADLINE_MS: "1000" }, undefined, undefined, table)
  key = await app.key()
  vendor.reportTo(`${app.origin}/v1/kyc/webhook/exampleid`)
})
afterEach(() => {
  vendor.misbehave(null)
  vendor.links({})
})
afterAll(async () => {
  await app.stop()
  await vendor.stop()
  const written = app.log.join("\n")
  for (const secret of [...vendor.secrets, "ticket="]) expect(written).not.toContain(secret)
})

const call = async (name: string, input: unknown) => {
  const response = await fetch(`${app.origin}/api/trpc/verification.${name}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(input),
  })
  // biome-ignore lint/suspicious/noExplicitAny: answers of any shape
  const json = (await response.json()) as any
  return { status: response.status, data: json.result?.data, error: json.error?.data }
}
const view = async (sessionId: string) => (await call("view", { sessionId })).data
const goOn = (sessionId: string) => call("continue", { sessionId, consent: true })
const start = (schema = ACCREDITED, wallet = newWallet()) => app.startSession(key, wallet, schema)
const statusOf = async (wallet: string) =>
  (await app.request({ method: "GET", path: `/kyc/status/${wallet}`, key: key.apiKey })).json.status
const callsFor = async <T>(work: () => Promise<T>): Promise<[T, number]> => {
  const before = vendor.asked.length
  return [await work(), vendor.asked.length - before]
}

test("the whole way: consent, the provider's page, its webhook, a credential on chain", async () => {
  const { wallet, sessionId } = await start()
  expect(await view(sessionId)).toMatchObject({
    state: "open",
    provider: { label: "Example ID", opens: "redirect", testOnly: null },
  })
  expect(vendor.opened(sessionId)).toHaveLength(0)
  expect(await call("continue", { sessionId, consent: false })).toMatchObject({
    status: 422,
    error: { error: "validation_failed" },
  })
  expect(vendor.opened(sessionId)).toHaveLength(0)

  const { data } = await goOn(sessionId)
  expect(data).toMatchObject({ url: expect.stringContaining(vendor.settings.VOUCH_EXAMPLEID_URL) })
  expect(data.view).toMatchObject({ state: "handed_over" })
  const [check] = vendor.opened(sessionId)
  expect(check).toMatchObject({ level: ACCREDITED, return_url: `${deployment.origin}/verify/${sessionId}` })
  const [row] = await sql`select * from attestations where session_id = ${sessionId}`
  expect(row).toMatchObject({
    provider: "exampleid",
    provider_reference: check!.id,
    provider_call_until: null,
  })
  expect(row!.consented_at).toBeInstanceOf(Date)
  // Whoever reads the database cannot go there.
  expect(row!.provider_link.toString()).not.toContain("ticket")

  expect(await vendor.report(sessionId, "passed")).toEqual({
    status: 200,
    json: { received: true, outcome: "applied" },
  })
  const status = await app.waitForStatus(key, wallet, "verified")
  expect(await view(sessionId)).toMatchObject({ state: "verified", onchainTx: status.onchain_tx })
  expect((await goOn(sessionId)).data).toMatchObject({ url: null, view: { state: "verified" } })
  const [after] =
    await sql`select provider_link, provider_link_until from attestations where session_id = ${sessionId}`
  expect(after).toEqual({ provider_link: null, provider_link_until: null })
})

test("ten clicks at once and one later are one call of the vendor, and lead to the same page", async () => {
  const { sessionId } = await start()
  const [urls, calls] = await callsFor(async () => {
    const clicks = await Promise.all(Array.from({ length: 10 }, () => goOn(sessionId)))
    return [...clicks, await goOn(sessionId)].map(({ data }) => data.url)
  })
  expect(calls).toBe(1)
  expect(new Set(urls).size).toBe(1)
  expect(urls[0]).toMatch(/^http/)
})

test.each<Fault>(["hangs", "fails", "rubbish", "lacks", "floods", "redirects", "unsafe"])(
  "a vendor that %s is 503, and the same session goes on when it is back",
  async (fault) => {
    const { wallet, sessionId } = await start()
    vendor.misbehave(fault)
    const [answer, calls] = await callsFor(() => goOn(sessionId))
    expect(answer).toMatchObject({ status: 503, error: { error: "provider_unavailable" } })
    expect(answer.error.detail).toMatch(/^Example ID cannot be reached/)
    expect(calls).toBe(1)
    expect(vendor.asked.some(({ path }) => path === "/elsewhere")).toBe(false)
    expect(await view(sessionId)).toMatchObject({ state: "open" })

    vendor.misbehave(null)
    const [again, more] = await callsFor(() => goOn(sessionId))
    expect([again.status, more]).toEqual([200, 1])
    // The vendor had opened it at the first call, and opened no second one.
    expect(vendor.opened(sessionId)).toHaveLength(1)
    expect((await start(ACCREDITED, wallet)).sessionId).toBe(sessionId)
  },
)

test("a key that the vendor does not know is 503 to the investor, and said in the log without the key", async () => {
  const { sessionId } = await start()
  const before = deployment.providers
  deployment.providers = chooseProviders(
    parseSettings({ ...app.settings.environment, VOUCH_EXAMPLEID_API_KEY: "ek_of_somebody_else" }),
    {},
    table,
  )
  try {
    expect(await goOn(sessionId)).toMatchObject({ status: 503, error: { error: "provider_unavailable" } })
  } finally {
    deployment.providers = before
  }
  expect(app.log.some((line) => line.includes("Example ID") && line.includes("status 401"))).toBe(true)
  expect(app.log.join()).not.toContain("ek_of_somebody_else")
})

test("while a vendor lets us wait, no transaction is open and no row is locked", async () => {
  const { wallet, sessionId } = await start()
  vendor.misbehave("hangs")
  const answer = goOn(sessionId)
  await waitFor(async () => vendor.opened(sessionId).length > 0, "the vendor to be asked")
  const idle = await sql`
    select query from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`
  expect([...idle]).toEqual([])
  await sql.begin((sql) => sql`select id from attestations where session_id = ${sessionId} for update nowait`)
  // Whoever asks meanwhile is not held up.
  expect(await statusOf(wallet)).toBe("pending")
  expect((await answer).status).toBe(503)
})

test("what a crash left claimed is free again after its time", async () => {
  const { sessionId } = await start()
  await sql`
    update attestations set provider_call_until = now() + interval '1 second' where session_id = ${sessionId}`
  const [answer, calls] = await callsFor(() => goOn(sessionId))
  expect([answer.status, calls]).toEqual([200, 1])
})

test("one that must be submitted again is sent to the same check, by another link", async () => {
  const { wallet, sessionId } = await start()
  const first = (await goOn(sessionId)).data.url
  await vendor.report(sessionId, "more_needed")
  expect(await view(sessionId)).toMatchObject({ state: "open", again: "resubmit" })
  const second = (await goOn(sessionId)).data.url
  expect(second).not.toBe(first)
  expect((await goOn(sessionId)).data.url).toBe(second)
  expect(vendor.opened(sessionId)).toHaveLength(1)
  expect(await view(sessionId)).toMatchObject({ state: "handed_over" })
  await vendor.report(sessionId, "passed")
  await app.waitForStatus(key, wallet, "verified")
})

test.each([
  ["works once", { once: true }],
  ["is over", { minutes: 0 }],
])("a link that %s is not kept for the next click", async (_name, kind) => {
  vendor.links(kind)
  const { sessionId } = await start()
  const first = (await goOn(sessionId)).data.url
  const [again, calls] = await callsFor(() => goOn(sessionId))
  expect(again.data.url).not.toBe(first)
  expect(calls).toBe(1)
  expect(vendor.opened(sessionId)).toHaveLength(1)
})

test("each schema has the provider that is set for it", async () => {
  const form = await start(INDIVIDUAL)
  expect(await view(form.sessionId)).toMatchObject({ provider: { opens: "form" } })
  expect(await goOn(form.sessionId)).toMatchObject({ status: 422, error: { error: "validation_failed" } })
  const away = await start(ACCREDITED)
  const answers = { country: "US", ageOver18: true, accredited: true, decision: "approved" }
  const filled = await call("submit", { sessionId: away.sessionId, consent: true, ...answers })
  expect(filled).toMatchObject({ status: 422, error: { error: "validation_failed" } })
})

test("a provider decides its own sessions alone, whoever signs and wherever it is sent", async () => {
  const theirs = await start(ACCREDITED)
  const ours = await start(INDIVIDUAL)
  const to = (path: string) => ({ to: `${app.origin}/v1${path}` })
  // Of the vendor, for a session of the sandbox.
  expect(await vendor.report(ours.sessionId, "passed")).toMatchObject({ json: { outcome: "ignored" } })
  // Of the sandbox, for a session of the vendor.
  const approval = { session_id: theirs.sessionId, decision: "approved" }
  for (const path of ["/kyc/webhook", "/kyc/webhook/sandbox"]) {
    expect((await app.webhook(approval, { path })).json).toMatchObject({ outcome: "ignored" })
    expect(await vendor.report(theirs.sessionId, "passed", to(path))).toMatchObject({ status: 401 })
  }
  expect((await app.webhook(approval, { path: "/kyc/webhook/exampleid" })).status).toBe(401)
  expect(await vendor.report(theirs.sessionId, "passed", { secret: "guessed" })).toMatchObject({
    status: 401,
  })
  expect(await vendor.report(theirs.sessionId, "passed", { ageSeconds: 400 })).toMatchObject({ status: 401 })
  for (const { wallet } of [theirs, ours]) expect(await statusOf(wallet)).toBe("pending")
  const events = await sql`
    select e.event_id from webhook_events e join attestations a on a.id = e.attestation_id
    where a.session_id = any(${[theirs.sessionId, ours.sessionId]})`
  expect([...events]).toEqual([])
})

test("an event is applied once; one that says nothing to us is ignored", async () => {
  const { sessionId } = await start()
  expect(await vendor.report(sessionId, "passed", { type: "check.created" })).toMatchObject({
    json: { outcome: "ignored" },
  })
  expect(await vendor.report(sessionId, "started")).toMatchObject({ json: { outcome: "ignored" } })
  const report = () => vendor.report(sessionId, "failed", { id: "evt-of-the-vendor" })
  expect(await report()).toMatchObject({ json: { outcome: "applied" } })
  expect(await report()).toMatchObject({ json: { outcome: "duplicate" } })
  expect(await view(sessionId)).toMatchObject({ state: "rejected" })
})

test("other settings do not take a session from the provider that began it", async () => {
  const { wallet, sessionId } = await start()
  const before = deployment.providers
  const choose = (environment: Record<string, string>) => {
    deployment.providers = chooseProviders(parseSettings(environment), {}, table)
  }
  try {
    choose({ ...app.settings.environment, VOUCH_TEST_PROVIDER: "sandbox" })
    expect(await view((await start()).sessionId)).toMatchObject({ provider: { opens: "form" } })
    expect((await start(ACCREDITED, wallet)).sessionId).toBe(sessionId)
    expect((await goOn(sessionId)).data.url).toContain(vendor.settings.VOUCH_EXAMPLEID_URL)

    // Without its settings, it waits for them.
    choose({ VOUCH_WEBHOOK_SECRET: app.settings.VOUCH_WEBHOOK_SECRET! })
    expect(await goOn(sessionId)).toMatchObject({ status: 503, error: { error: "provider_not_configured" } })
    expect(await vendor.report(sessionId, "passed")).toMatchObject({ status: 404 })
    expect(await view(sessionId)).toMatchObject({ state: "handed_over", provider: { label: "exampleid" } })
  } finally {
    deployment.providers = before
  }
  await vendor.report(sessionId, "passed")
  await app.waitForStatus(key, wallet, "verified")
})

test("a schema that no workspace has is refused at the start, and those that there are are named", async () => {
  const { default: common } = deployment.providers.test
  const test = { ...deployment.providers.test, bySchema: new Map([["kyc_individul_v1", common!]]) }
  const refused = requireChosenSchemas({ ...deployment.providers, test })
  await expect(refused).rejects.toThrow(
    /VOUCH_TEST_PROVIDER: there is no schema kyc_individul_v1 in test mode\. There are: .*kyc_individual_v1/,
  )
  await expect(requireChosenSchemas(deployment.providers)).resolves.toBeUndefined()
})

test("erasure takes the vendor's reference with it", async () => {
  const { wallet, sessionId } = await start()
  await goOn(sessionId)
  await vendor.report(sessionId, "failed")
  const kept = () => sql`
    select provider_reference is null and provider_link is null as erased from attestations where session_id = ${sessionId}`
  expect([...(await kept())]).toEqual([{ erased: false }])
  await eraseWallet({ workspaceId: key.workspaceId, wallet })
  expect([...(await kept())]).toEqual([{ erased: true }])
})
