import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { deployment } from "#server/domain/deployment/deployment.ts"
import { eraseWallet } from "#server/domain/privacy/erase.ts"
import { chooseProviders } from "#server/domain/providers/choose.ts"
import { parseSettings } from "#server/settings/env.ts"
import { newWallet, waitFor } from "#test/fixtures/app.ts"
import { member } from "#test/fixtures/people.ts"
import { noTransactionIsOpen } from "#test/matchers/open-transactions.ts"
import { ACCREDITED, startWithVendor, table } from "#test/vendor/example-app.ts"
import type { Fault } from "#test/vendor/server.ts"

const { vendor, app, key, call, view, goOn, start, statusOf, callsFor } = await startWithVendor()

test("consent, the provider's page and its webhook lead to a credential on chain", async () => {
  const { wallet, sessionId } = await start()
  expect(await view(sessionId)).toMatchObject({
    state: "open",
    provider: { label: "Example ID", flow: "redirect", testOnly: false },
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
  // Reading the database is not enough to open the page.
  expect(row!.provider_link.toString()).not.toContain("ticket")

  expect(await vendor.report(sessionId, "passed")).toEqual({
    status: 200,
    json: { received: true, outcome: "applied" },
  })
  const status = await app.waitForStatus(key, wallet, "verified")
  expect(await view(sessionId)).toMatchObject({ state: "verified", onchainTx: status.onchain_tx })
  expect((await goOn(sessionId)).data).toMatchObject({ url: null, view: { state: "verified" } })
  const [after] = await sql`select provider_link, provider_link_until from attestations where session_id = ${sessionId}`
  expect(after).toEqual({ provider_link: null, provider_link_until: null })
})

test("the vendor's page uses our page's language, and a repeat in another language is the same check", async () => {
  const { sessionId } = await start()
  vendor.misbehave("lacks")
  const inLanguage = (language: unknown) => call("continue", { sessionId, consent: true, language })
  expect((await inLanguage("de")).error.error).toBe("provider_unavailable")
  vendor.misbehave(null)
  // A vendor refuses an idempotency key that is reused for another request.
  expect((await inLanguage("fr")).data.url).toContain(vendor.settings.VOUCH_EXAMPLEID_URL)
  expect(vendor.opened(sessionId).map(({ language }) => language)).toEqual(["de"])
  for (const none of ["xx", "de-DE", "", 1]) expect((await inLanguage(none)).status).toBe(422)

  const other = await start()
  await goOn(other.sessionId)
  expect(vendor.opened(other.sessionId)[0]).not.toHaveProperty("language")
})

test("the dashboard shows the consent, and no form", async () => {
  const { browser, account } = await member(app)
  const { sessionId } = await app.startSession(await app.key({ account }), newWallet(), ACCREDITED)
  await goOn(sessionId)
  const [session] = (await browser.query("session.list")).data.data
  expect(session).toMatchObject({ flow: "redirect", consented_at: expect.any(String), decision: null })
  await vendor.report(sessionId, "failed")
  const { data } = await browser.query("attestation.detail", { id: session.attestation_id })
  expect(data.timeline.map(({ event }: { event: string }) => event)).toEqual(["started", "consented", "decided"])
})

test("ten simultaneous clicks and one later call the vendor once and lead to the same page", async () => {
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
  "a vendor that %s is 503, and the same session continues when it is back",
  async (fault) => {
    const { wallet, sessionId } = await start()
    vendor.misbehave(fault)
    const [answer, calls] = await callsFor(() => goOn(sessionId))
    expect(answer).toMatchObject({ status: 503, error: { error: "provider_unavailable" } })
    expect(answer.error.detail).toMatch(/^Example ID cannot be reached/)
    expect(calls).toBe(1)
    expect(vendor.requests.some(({ path }) => path === "/elsewhere")).toBe(false)
    expect(await view(sessionId)).toMatchObject({ state: "open" })

    vendor.misbehave(null)
    const [again, more] = await callsFor(() => goOn(sessionId))
    expect([again.status, more]).toEqual([200, 1])
    // The vendor opened it at the first call, and did not open a second one.
    expect(vendor.opened(sessionId)).toHaveLength(1)
    expect((await start(ACCREDITED, wallet)).sessionId).toBe(sessionId)
  },
)

test("a key that the vendor does not know is 503 to the investor, and logged without the key", async () => {
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

test("while waiting for a vendor, no transaction is open and no row is locked", async () => {
  const { wallet, sessionId } = await start()
  vendor.misbehave("hangs")
  let isOver = false
  const answer = goOn(sessionId).finally(() => {
    isOver = true
  })
  await waitFor(async () => vendor.opened(sessionId).length > 0, "the vendor to be asked")
  await noTransactionIsOpen()
  expect(isOver).toBe(false)
  await sql.begin((sql) => sql`select id from attestations where session_id = ${sessionId} for update nowait`)
  // Other requests do not wait.
  expect(await statusOf(wallet)).toBe("pending")
  expect((await answer).status).toBe(503)
})

test("a call claimed by a crashed process can be claimed again after its time", async () => {
  const { sessionId } = await start()
  await sql`
    update attestations set provider_call_until = now() + interval '1 second' where session_id = ${sessionId}`
  const [answer, calls] = await callsFor(() => goOn(sessionId))
  expect([answer.status, calls]).toEqual([200, 1])
})

test("an investor who must submit again gets another link to the same check", async () => {
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
])("a link that %s is not stored for the next click", async (_name, kind) => {
  vendor.links(kind)
  const { sessionId } = await start()
  const first = (await goOn(sessionId)).data.url
  const [again, calls] = await callsFor(() => goOn(sessionId))
  expect(again.data.url).not.toBe(first)
  expect(calls).toBe(1)
  expect(vendor.opened(sessionId)).toHaveLength(1)
})

test("erasure deletes the vendor's reference", async () => {
  const { wallet, sessionId } = await start()
  await goOn(sessionId)
  await vendor.report(sessionId, "failed")
  const kept = () => sql`
    select provider_reference is null and provider_link is null as erased from attestations where session_id = ${sessionId}`
  expect([...(await kept())]).toEqual([{ erased: false }])
  await eraseWallet({ workspaceId: key.workspaceId, wallet })
  expect([...(await kept())]).toEqual([{ erased: true }])
})
