import { expect, test } from "vitest"
import { newWallet } from "#test/fixtures/app.ts"
import { advanceClock } from "#test/fixtures/clock.ts"
import { member } from "#test/fixtures/people.ts"
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
