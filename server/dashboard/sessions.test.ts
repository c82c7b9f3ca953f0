import { expect, test } from "vitest"
import { newWallet } from "#test/fixtures/app.ts"
import { advanceClock } from "#test/fixtures/clock.ts"
import { member } from "#test/fixtures/people.ts"
import { vendorReview } from "#test/fixtures/reviews.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

// Without a worker, so that no sweep runs.
usesApp({ environment: { VOUCH_ROLE: "web" } })

async function enter() {
  const { browser, account } = await member(app)
  const key = await app.key({ account })
  const list = async (input: object = {}, by = browser) => {
    const { status, data, error } = await by.query("session.list", input)
    if (status !== 200) throw Object.assign(new Error(error.detail), { code: error.error })
    return data
  }
  return { browser, account, key, list }
}

test("a session started in the dashboard is the first open one, with the link for the investor", async () => {
  const { browser, list } = await enter()
  const wallet = newWallet()
  const started = await browser.mutate("kyc.start", {
    userPubkey: wallet,
    schemaId: "kyc_individual_v1",
    externalId: "investor-1",
  })
  const { data } = await list()
  expect(data).toMatchObject([
    {
      ...started.data,
      user_pubkey: wallet,
      external_id: "investor-1",
      status: "pending",
      flow: "form",
      consented_at: null,
      decision: null,
      open_until: expect.any(String),
    },
  ])
})

test("a session in review names its review and the vendor's reason, to members who decide reviews", async () => {
  const { account, key, list } = await enter()
  const { reviewId } = await vendorReview(app, key, { reason: "Sanctions screening: 1 possible match" })
  await app.startSession(key)
  const review = { review_id: reviewId, said: "Sanctions screening: 1 possible match" }
  expect((await list()).data).toMatchObject([{ review: null }, { state: "in_review", review }])
  const { browser: viewer } = await member(app, { account, role: "viewer" })
  expect((await list({}, viewer)).data).toMatchObject([{ review: null }, { state: "in_review", review: null }])
})

test("the page of an attestation shows its session, with the link only to members who may start sessions", async () => {
  const { browser, account, key } = await enter()
  const wallet = newWallet()
  const { data: started } = await browser.mutate("kyc.start", {
    userPubkey: wallet,
    schemaId: "kyc_individual_v1",
    redirectUrl: "https://example.com/welcome",
  })
  const [{ attestation_id: id }] = (await browser.query("session.list", {})).data.data
  expect((await browser.query("session.view", { id })).data).toMatchObject({
    attestation_id: id,
    session_url: started.session_url,
    redirect_url: "https://example.com/welcome",
    opened_at: null,
    review: null,
  })
  const { browser: viewer } = await member(app, { account, role: "viewer" })
  const hidden = { attestation_id: id, session_id: null, session_url: null }
  expect((await viewer.query("session.view", { id })).data).toMatchObject(hidden)

  const { attestationId, reviewId } = await vendorReview(app, key)
  const { data: inReview } = await browser.query("session.view", { id: attestationId })
  expect(inReview).toMatchObject({ state: "in_review", redirect_url: null, review: { review_id: reviewId } })
  const { browser: stranger } = await member(app)
  expect((await stranger.query("session.view", { id })).error).toMatchObject({ error: "attestation_not_found" })
  expect((await stranger.query("session.view", { id: "x" })).error).toMatchObject({ error: "attestation_not_found" })
})

test("decided sessions are closed, and those in review or submitted are open with that state", async () => {
  const { key, list } = await enter()
  const rejected = await app.startSession(key)
  await app.webhook({ session_id: rejected.sessionId, decision: "rejected" })
  const inReview = await app.startSession(key)
  await app.webhook({ session_id: inReview.sessionId, decision: "in_review" })
  const sent = await app.startSession(key)
  await fetch(`${app.origin}/api/trpc/verification.submit`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: app.origin },
    body: JSON.stringify({
      sessionId: sent.sessionId,
      consent: true,
      country: "DE",
      ageOver18: true,
      accredited: false,
      decision: "approved",
    }),
  })
  const open = (await list()).data
  expect(open).toMatchObject([
    { user_pubkey: sent.wallet, consented_at: expect.any(String), decision: null },
    { user_pubkey: inReview.wallet, decision: "in_review", decided_at: expect.any(String) },
  ])
  expect((await list({ state: "closed" })).data).toMatchObject([{ user_pubkey: rejected.wallet, status: "rejected" }])
})

test("an expired session is closed at once, without a sweep", async () => {
  const { key, list } = await enter()
  const { wallet } = await app.startSession(key)
  await advanceClock({ seconds: 24 * 3600 + 1 })
  expect((await list()).data).toEqual([])
  expect((await list({ state: "closed" })).data).toMatchObject([{ user_pubkey: wallet, status: "expired" }])
})

test("pages have fifty sessions, each once", async () => {
  const { key, list } = await enter()
  const wallets: string[] = []
  for (let n = 0; n < 52; n++) wallets.unshift((await app.startSession(key)).wallet)
  const first = await list()
  const second = await list({ cursor: first.next_cursor })
  expect(second.next_cursor).toBeNull()
  expect([...first.data, ...second.data].map((one) => one.user_pubkey)).toEqual(wallets)
  await expect(list({ cursor: "x" })).rejects.toMatchObject({ code: "validation_failed" })
})

test("a viewer sees sessions without their links", async () => {
  const { key, account, list } = await enter()
  const { wallet, sessionId } = await app.startSession(key)
  const viewer = (await member(app, { role: "viewer", account })).browser
  const page = await list({}, viewer)
  expect(page.data).toMatchObject([{ user_pubkey: wallet, session_id: null, session_url: null }])
  expect(JSON.stringify(page)).not.toContain(sessionId)
})

test("sessions of another workspace are not listed", async () => {
  const { key } = await enter()
  await app.startSession(key)
  const stranger = await enter()
  expect((await stranger.list()).data).toEqual([])
})

/** Opens the hosted page with these headers. */
const open = async (sessionId: string, headers: Record<string, string>, method = "GET") => {
  const { status } = await fetch(`${app.origin}/verify/${sessionId}`, { method, headers })
  expect(status).toBe(200)
}
const navigation = { "sec-fetch-dest": "document", "sec-fetch-mode": "navigate" }

test("the first opening by the investor's browser is noted; previews and signed-in members are not", async () => {
  const { key, list } = await enter()
  const { sessionId } = await app.startSession(key)
  const openedAt = async () => (await list()).data[0].opened_at
  await open(sessionId, {})
  await open(sessionId, { ...navigation, "sec-purpose": "prefetch" })
  await open(sessionId, { ...navigation, cookie: "a=b; vouch.session_token=member" })
  await open(sessionId, navigation, "HEAD")
  expect(await openedAt()).toBeNull()
  await open(sessionId, navigation)
  const first = await openedAt()
  expect(first).toEqual(expect.any(String))
  await advanceClock({ seconds: 60 })
  await open(sessionId, navigation)
  expect(await openedAt()).toBe(first)
})

test("sessions are filtered by what they wait for and by schema", async () => {
  const { key, list, browser } = await enter()
  const waiting = await app.startSession(key)
  const inReview = await app.startSession(key)
  await app.webhook({ session_id: inReview.sessionId, decision: "in_review" })
  const wallets = async (input: object) => (await list(input)).data.map((one: Row) => one.user_pubkey)
  type Row = { user_pubkey: string }
  expect(await wallets({ waits: "open" })).toEqual([waiting.wallet])
  expect(await wallets({ waits: "in_review" })).toEqual([inReview.wallet])
  expect(await wallets({ waits: "approved" })).toEqual([])
  expect(await wallets({ schema: "kyc_individual_v1" })).toHaveLength(2)
  await browser.mutate("schema.create", { id: "another_v1", name: "Another", validity_days: 1 })
  expect(await wallets({ schema: "another_v1" })).toEqual([])
  await expect(list({ schema: "unheard_of" })).rejects.toMatchObject({ code: "unknown_schema" })
})

test("a closed session has the time of its end", async () => {
  const { key, list } = await enter()
  const expired = await app.startSession(key)
  const [{ open_until }] = (await list()).data
  const rejected = await app.startSession(key)
  await app.webhook({ session_id: rejected.sessionId, decision: "rejected" })
  const cancelled = await app.startSession(key)
  const cancel = { method: "POST", path: `/kyc/session/${cancelled.sessionId}/cancel`, json: {} } as const
  expect((await app.request({ ...cancel, key: key.apiKey })).status).toBe(200)
  await advanceClock({ seconds: 24 * 3600 + 60 })
  const { data } = await list({ state: "closed" })
  expect(data).toMatchObject([
    { user_pubkey: cancelled.wallet, state: "cancelled" },
    { user_pubkey: rejected.wallet, state: "rejected" },
    { user_pubkey: expired.wallet, state: "expired", closed_at: open_until },
  ])
  for (const { closed_at, started_at } of data.slice(0, 2)) expect(closed_at >= started_at).toBe(true)
})
