import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { advanceClock, restoreClock } from "#test/fixtures/clock.ts"
import { ACCREDITED, INDIVIDUAL, startWithVendor } from "#test/vendor/example-app.ts"

const { vendor, app, key, view, goOn, start, statusOf, callsFor } = await startWithVendor()

test("a provider decides only its own sessions, whatever the signature and the path", async () => {
  const vendorSession = await start(ACCREDITED)
  const sandboxSession = await start(INDIVIDUAL)
  const to = (path: string) => ({ to: `${app.origin}/v1${path}` })
  // The vendor's event about the sandbox's session.
  expect(await vendor.report(sandboxSession.sessionId, "passed")).toMatchObject({ json: { outcome: "ignored" } })
  // The sandbox's event about the vendor's session.
  const approval = { session_id: vendorSession.sessionId, decision: "approved" }
  for (const path of ["/kyc/webhook", "/kyc/webhook/sandbox"]) {
    expect((await app.webhook(approval, { path })).json).toMatchObject({ outcome: "ignored" })
    expect(await vendor.report(vendorSession.sessionId, "passed", to(path))).toMatchObject({ status: 401 })
  }
  expect((await app.webhook(approval, { path: "/kyc/webhook/exampleid" })).status).toBe(401)
  expect(await vendor.report(vendorSession.sessionId, "passed", { secret: "guessed" })).toMatchObject({
    status: 401,
  })
  expect(await vendor.report(vendorSession.sessionId, "passed", { ageSeconds: 400 })).toMatchObject({ status: 401 })
  for (const { wallet } of [vendorSession, sandboxSession]) expect(await statusOf(wallet)).toBe("pending")
  const events = await sql`
    select e.event_id from webhook_events e join attestations a on a.id = e.attestation_id
    where a.session_id = any(${[vendorSession.sessionId, sandboxSession.sessionId]})`
  expect([...events]).toEqual([])
})

test("an event is applied once; one without a decision is ignored", async () => {
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

/** Makes Vouch ask the vendor now. */
const asking = async (sessionId: string) => {
  await sql`update attestations set ask_at = now() - interval '1 second' where session_id = ${sessionId}`
  await waitFor(async () => {
    const [row] = await sql`select ask_at, asks from attestations where session_id = ${sessionId}`
    return row!.ask_at === null || row!.ask_at > new Date()
  }, "the vendor to be asked")
}

test("after a lost webhook, Vouch asks for the decision and applies it once", async () => {
  const { wallet, sessionId } = await start()
  await goOn(sessionId)
  await asking(sessionId)
  expect(await statusOf(wallet)).toBe("pending")
  const at = new Date(Math.floor(Date.now() / 1000) * 1000)
  vendor.decide(sessionId, "passed", at)
  await asking(sessionId)
  await app.waitForStatus(key, wallet, "verified")
  // The webhook arrives late.
  expect(await vendor.report(sessionId, "passed")).toMatchObject({ json: { outcome: "ignored" } })
  const [row] = await sql`
    select count(*)::int as count from operations o join attestations a on a.workspace_id = o.workspace_id
      and a.wallet = o.wallet where a.session_id = ${sessionId} and o.kind = 'attest'`
  expect(row).toEqual({ count: 1 })
})

test("Vouch asks the vendor soon once the investor is back, but not while they are on the vendor's page", async () => {
  const { sessionId } = await start()
  const secondsLeft = async () => {
    const [row] = await sql`
      select extract(epoch from ask_at - now())::float8 as seconds from attestations where session_id = ${sessionId}`
    return row!.seconds
  }
  await goOn(sessionId)
  expect(await secondsLeft()).toBeGreaterThan(500)
  expect(await view(sessionId)).toMatchObject({ state: "handed_over" })
  expect(await secondsLeft()).toBeLessThan(30)
})

test("Vouch asks the vendor about an event without a decision, but not about its repeat", async () => {
  const { wallet, sessionId } = await start()
  await goOn(sessionId)
  const change = () => vendor.report(sessionId, "passed", { id: `evt-${sessionId}`, type: "check.changed" })
  // The event's own content does not count.
  expect(await change()).toMatchObject({ json: { outcome: "ignored" } })
  expect(await statusOf(wallet)).toBe("pending")
  vendor.decide(sessionId, "failed")
  vendor.misbehave("fails")
  expect(await change()).toMatchObject({ status: 503 })
  vendor.misbehave(null)
  expect(await change()).toMatchObject({ json: { outcome: "applied" } })
  const [again, calls] = await callsFor(change)
  expect([again.json.outcome, calls]).toEqual(["duplicate", 0])
  expect(await statusOf(wallet)).toBe("rejected")
})

test("a decision dated in the future counts from now, and can be withdrawn", async () => {
  const { wallet, sessionId } = await start()
  await goOn(sessionId)
  vendor.decide(sessionId, "passed", new Date(Date.now() + 10 * 86_400_000))
  await asking(sessionId)
  await app.waitForStatus(key, wallet, "verified")
  const [row] = await sql`
    select event_at <= now() and issued_at <= now() as past from attestations where session_id = ${sessionId}`
  expect(row).toEqual({ past: true })
  expect(await vendor.report(sessionId, "failed")).toMatchObject({ json: { outcome: "applied" } })
  expect(await statusOf(wallet)).toBe("rejected")
})

test("a session past its time closes once the vendor has answered that nothing is decided", async () => {
  const { wallet, sessionId } = await start()
  await goOn(sessionId)
  const [row] = await sql`select provider_reference as reference from attestations where session_id = ${sessionId}`
  const asked = () => vendor.requests.filter(({ path }) => path === `/checks/${row!.reference}`)
  await advanceClock({ days: 1, seconds: 1 })
  const swept = () => sql`select from attestations where session_id = ${sessionId} and status = 'expired'`
  await waitFor(async () => (await swept()).length === 1, "the sweep to end it")
  expect(asked().length).toBeGreaterThan(0)
  expect(await statusOf(wallet)).toBe("expired")
})

test("an approval given while Vouch was down counts, although the session is past its time", async () => {
  for (const _ of [1, 2, 3]) {
    const { wallet, sessionId } = await start()
    await goOn(sessionId)
    vendor.decide(sessionId, "passed")
    // The earlier ask must run now, too.
    await advanceClock({ days: 2 })
    await app.waitForStatus(key, wallet, "verified")
    await restoreClock()
  }
})

test("Vouch asks the vendor a minute before the session's end, so that it does not show as expired before the answer", async () => {
  const { wallet, sessionId } = await start()
  await goOn(sessionId)
  vendor.decide(sessionId, "passed")
  // The next regular ask is hours away.
  await sql`update attestations set ask_at = now() + interval '3 days' where session_id = ${sessionId}`
  await advanceClock({ seconds: 86_400 - 30 })
  await app.waitForStatus(key, wallet, "verified")
})

test("an unreachable vendor keeps a session open for at most a day, and its decision on that day counts", async () => {
  const [decided, undecided] = [await start(), await start()]
  for (const { sessionId } of [decided, undecided]) await goOn(sessionId)
  vendor.misbehave("fails")
  await advanceClock({ days: 1, seconds: 60 })
  const isAsked = async ({ sessionId }: { sessionId: string }) => {
    const [row] = await sql`select closing and asks > 0 as asked from attestations where session_id = ${sessionId}`
    return row!.asked
  }
  for (const one of [decided, undecided]) {
    await waitFor(() => isAsked(one), "an unsuccessful ask")
    expect(await statusOf(one.wallet)).toBe("pending")
  }
  vendor.misbehave(null)
  vendor.decide(decided.sessionId, "passed")
  await asking(decided.sessionId)
  await app.waitForStatus(key, decided.wallet, "verified")
  vendor.misbehave("fails")
  await advanceClock({ days: 2, seconds: 120 })
  expect(await statusOf(undecided.wallet)).toBe("expired")
})

test("a start before the last ask continues the same session", async () => {
  const { wallet, sessionId } = await start()
  await goOn(sessionId)
  await sql`update attestations set open_until = now() - interval '1 second', closing = false where session_id = ${sessionId}`
  expect((await start(ACCREDITED, wallet)).sessionId).toBe(sessionId)
})
