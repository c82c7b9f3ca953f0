import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { setPlan } from "#server/domain/accounts/accounts.ts"
import { createAccount } from "#server/domain/onboarding/create-account.ts"
import { newId } from "#server/lib/ids.ts"
import { addSeconds, sleep } from "#server/lib/time.ts"
import { sweep } from "#server/start/housekeeping.ts"
import { newWallet, type TestKey } from "#test/fixtures/app.ts"
import { advanceClock, moveClock, realNow, restoreClock } from "#test/fixtures/clock.ts"
import type { Response } from "#test/fixtures/http.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

// Without a worker, so sweeps run only when a test calls them.

usesApp({ environment: { VOUCH_ROLE: "web" } })

const limited = (quota: number) => app.key({ mode: "live", plan: "enterprise", quota })

/** Repeats a request while the answer is 503: the machine is busy and nothing has begun. */
async function untilDecided(ask: () => Promise<Response>): Promise<Response> {
  for (;;) {
    const response = await ask()
    if (response.status !== 503) return response
    await sleep(100)
  }
}

const start = (key: TestKey, wallet = newWallet()) =>
  untilDecided(() =>
    app.request({
      method: "POST",
      path: "/kyc/start",
      key: key.apiKey,
      json: { userPubkey: wallet, schemaId: "kyc_individual_v1" },
    }),
  )

const usage = async (key: TestKey) =>
  (await app.request({ method: "GET", path: "/usage", key: key.apiKey })).json as {
    included: number | null
    used: number
    remaining: number | null
  }

const startMany = async (key: TestKey, count: number) => {
  const answers = await Promise.all(Array.from({ length: count }, () => start(key)))
  return answers.map(({ status, json }) => ({ status, sessionId: json.session_id as string }))
}

const reject = (sessionId: string, decision = "rejected") =>
  untilDecided(() => app.webhook({ session_id: sessionId, decision }))

const revoke = async (key: TestKey, wallet: string) => {
  const list = { method: "GET", path: `/attestations?pubkey=${wallet}`, key: key.apiKey }
  const id = (await app.request(list)).json.data[0].attestation_id
  return app.request({
    method: "POST",
    path: `/attestation/${id}/revoke`,
    key: key.apiKey,
    json: { reason: "no more" },
  })
}

/** The used units, counted from the rows instead of read from the counter. */
async function counted(key: TestKey): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int from attestations
    where workspace_id = ${key.workspaceId} and (status in ('pending', 'verified') or verified_at is not null)`
  return row!.count
}

test("1,000 parallel starts against a quota of 500 begin exactly 500 sessions", async () => {
  const key = await limited(500)
  const answers = await startMany(key, 1000)
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(500)
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(500)
  expect(await counted(key)).toBe(500)
  expect(await usage(key)).toMatchObject({ included: 500, used: 500, remaining: 0 })
})

test("while rejections return units, the quota is never exceeded and no unit is lost", async () => {
  const key = await limited(50)
  const open = (await startMany(key, 50)).map(({ sessionId }) => sessionId)
  let most = 0
  let watching = true
  const watch = (async () => {
    while (watching) most = Math.max(most, await counted(key))
  })()
  let begun = 50
  let rejected = 0
  const customers = Array.from({ length: 25 }, async () => {
    for (let i = 0; i < 8; i++) {
      const { status, json } = await start(key)
      if (status !== 200) continue
      begun++
      open.push(json.session_id)
    }
  })
  const provider = Array.from({ length: 5 }, async () => {
    for (let i = 0; i < 16; i++) {
      const sessionId = open.shift()
      if (sessionId === undefined) continue
      const { json } = await reject(sessionId)
      expect(json.outcome).toBe("applied")
      rejected++
    }
  })
  await Promise.all([...customers, ...provider])
  watching = false
  await watch
  expect(most).toBe(50)
  expect(rejected).toBeGreaterThan(40)
  expect(begun).toBeGreaterThan(50)
  expect((await usage(key)).used).toBe(begun - rejected)
  expect(await counted(key)).toBe(begun - rejected)
})

test("a unit is returned once, however many rejections, expiries and revocations arrive at the same time", async () => {
  const key = await limited(10)
  await start(key)
  const wallet = newWallet()
  const sessionId = (await start(key, wallet)).json.session_id
  expect((await usage(key)).used).toBe(2)
  const later = addSeconds(realNow(), 24 * 3600 + 60)
  await Promise.all([
    ...Array.from({ length: 5 }, () => reject(sessionId)),
    ...Array.from({ length: 5 }, () => reject(sessionId, "expired")),
    ...Array.from({ length: 5 }, () => revoke(key, wallet)),
  ])
  expect((await usage(key)).used).toBe(1)
  await moveClock(later)
  await Promise.all(Array.from({ length: 5 }, () => sweep()))
  await restoreClock()
  expect((await usage(key)).used).toBe(0)
})

test("an approval that never reached the chain returns its unit once, when its validity is over", async () => {
  const key = await limited(10)
  await start(key)
  const { json } = await start(key)
  expect((await reject(json.session_id, "approved")).json.outcome).toBe("applied")
  await advanceClock({ days: 366 })
  await Promise.all(Array.from({ length: 8 }, () => sweep()))
  const periods = await sql`select used from usage_periods where workspace_id = ${key.workspaceId}`
  expect([...periods]).toEqual([{ used: 0 }])
  const ended = await sql`select status from attestations where workspace_id = ${key.workspaceId}`
  expect([...ended]).toEqual([{ status: "expired" }, { status: "expired" }])
})

test("GET /usage counts a session from its start until it ends unverified", async () => {
  const key = await limited(10)
  const now = new Date(Date.UTC(2027, 1, 10, 12))
  await moveClock(now)
  const step = async (used: number) => {
    expect((await app.request({ method: "GET", path: "/usage", key: key.apiKey })).json).toEqual({
      plan: "enterprise",
      period_start: "2027-02-01T00:00:00Z",
      period_end: "2027-03-01T00:00:00Z",
      included: 10,
      used,
      remaining: 10 - used,
      chain: { transactions: 0, fee_lamports: "0", rent_lamports: "0", budget_lamports: null },
    })
  }
  await step(0)
  const wallet = newWallet()
  const { json } = await start(key, wallet)
  await step(1)
  await start(key, wallet)
  await step(1)
  await reject(json.session_id, "in_review")
  await step(1)
  await reject(json.session_id)
  await step(0)
  await reject(json.session_id)
  await step(0)
  await start(key, wallet)
  await step(1)
  await revoke(key, wallet)
  await step(0)
  await revoke(key, wallet)
  await step(0)
  const approved = await start(key)
  expect((await reject(approved.json.session_id, "approved")).json.outcome).toBe("applied")
  await step(1)
  await start(key)
  await step(2)
  // The undecided session closes after 24 hours, the approved one does not; no sweep has run.
  await moveClock(addSeconds(now, 24 * 3600))
  await step(1)
  await sweep()
  await step(1)
})

test("expired sessions free their units at once, without a sweep", async () => {
  const key = await limited(2)
  const wallet = newWallet()
  await start(key, wallet)
  await start(key)
  expect((await start(key)).status).toBe(429)
  await advanceClock({ seconds: 24 * 3600 + 60 })
  const again = await start(key, wallet)
  expect(again.status).toBe(200)
  expect((await start(key)).status).toBe(200)
  expect((await start(key)).status).toBe(429)
})

test("simultaneous starts that all need the same expired sessions swept succeed", async () => {
  const key = await limited(20)
  await startMany(key, 20)
  await advanceClock({ seconds: 24 * 3600 + 60 })
  const [answers] = await Promise.all([startMany(key, 20), sweep(), sweep()])
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
  expect(await usage(key)).toMatchObject({ used: 20, remaining: 0 })
})

test("a start waits for locked expired sessions instead of answering quota_exceeded", async () => {
  const key = await limited(1)
  await start(key)
  await advanceClock({ seconds: 24 * 3600 + 60 })
  let answer: ReturnType<typeof start>
  await sql.begin(async (tx) => {
    await tx`select from attestations where workspace_id = ${key.workspaceId} for update`
    answer = start(key)
    await Promise.race([answer, sleep(100)])
  })
  expect((await answer!).status).toBe(200)
})

test("a new month begins with the whole quota, and a returned unit goes to the month of its start", async () => {
  const key = await limited(2)
  const lastSecond = new Date(Date.UTC(2028, 1, 29, 23, 59, 59))
  await moveClock(lastSecond)
  const old = (await start(key)).json.session_id
  await start(key)
  const full = await start(key)
  expect(full).toMatchObject({ status: 429, json: { error: "quota_exceeded" } })
  expect(full.json.detail).toContain("2028-03-01T00:00:00Z")
  expect(full.headers["retry-after"]).toBe("1")

  await moveClock(addSeconds(lastSecond, 1))
  expect(await usage(key)).toMatchObject({ used: 0, remaining: 2 })
  expect((await start(key)).status).toBe(200)
  await reject(old)
  expect(await usage(key)).toMatchObject({ used: 1, remaining: 1 })
  const periods = await sql`
    select period, used from usage_periods where workspace_id = ${key.workspaceId} order by period`
  expect([...periods]).toEqual([
    { period: "2028-02-01", used: 1 },
    { period: "2028-03-01", used: 1 },
  ])
})

test("after a downgrade, used units stay used and no session starts; after an upgrade, starts succeed", async () => {
  const name = newId("acct")
  const account = await createAccount({ name, plan: "enterprise", quota: 5 })
  const key = await app.key({ mode: "live", account })
  await startMany(key, 5)
  await setPlan(name, "enterprise", 3)
  expect(await usage(key)).toMatchObject({ included: 3, used: 5, remaining: 0 })
  expect((await start(key)).status).toBe(429)
  await setPlan(name, "growth", null)
  expect(await usage(key)).toMatchObject({ plan: "growth", included: 10_000, used: 5, remaining: 9995 })
  expect((await start(key)).status).toBe(200)
  await setPlan(name, "enterprise", null)
  expect(await usage(key)).toMatchObject({ included: null, used: 6, remaining: null })
  expect((await start(key)).status).toBe(200)
})

test("a test workspace has the free plan's limit and its own count, whatever the account pays for", async () => {
  const account = await createAccount({ name: newId("acct"), plan: "enterprise", quota: 1 })
  const [live, inTest] = [await app.key({ mode: "live", account }), await app.key({ mode: "test", account })]
  expect((await startMany(inTest, 3)).map(({ status }) => status)).toEqual([200, 200, 200])
  expect(await usage(inTest)).toMatchObject({ included: 500, used: 3, remaining: 497 })
  expect(await usage(live)).toMatchObject({ included: 1, used: 0 })
  await sql`update usage_periods set used = 500 where workspace_id = ${inTest.workspaceId}`
  expect((await start(inTest)).status).toBe(429)
  expect((await start(live)).status).toBe(200)
})

test("starting again returns the open session and uses no quota, even fifty times at once", async () => {
  const key = await limited(1)
  const wallet = newWallet()
  const answers = await Promise.all(Array.from({ length: 50 }, () => start(key, wallet)))
  expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200))
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  expect(await usage(key)).toMatchObject({ used: 1, remaining: 0 })
  expect((await start(key, wallet)).text).toBe(answers[0]!.text)
  expect((await start(key)).status).toBe(429)
})

test("concurrent starts and ends of one wallet never leave two open sessions, lose a unit or fail", async () => {
  // 144 starts: a month admits ten for each unit.
  const key = await limited(15)
  const wallet = newWallet()
  const work = Array.from({ length: 12 }, async () => {
    for (let i = 0; i < 12; i++) {
      const { status, json } = await start(key, wallet)
      expect(status).toBe(200)
      expect((await reject(json.session_id)).status).toBe(200)
    }
  })
  await Promise.all(work)
  expect((await usage(key)).used).toBe(await counted(key))
  expect((await usage(key)).used).toBeLessThanOrEqual(1)
})

test("a start with another schema for the same wallet begins another session", async () => {
  const key = await limited(5)
  const wallet = newWallet()
  const business = { userPubkey: wallet, schemaId: "kyc_business_v1" }
  const [one, other] = await Promise.all([
    start(key, wallet),
    app.request({ method: "POST", path: "/kyc/start", key: key.apiKey, json: business }),
  ])
  expect(one.json.session_id).not.toBe(other.json.session_id)
  expect((await usage(key)).used).toBe(2)
})

test("after all these tests, the counter and the rows agree in every workspace", async () => {
  // Not those whose counter is 500: one is set by a test, the other is checked above.
  const rows = await sql`
    select u.workspace_id, u.period, u.used, (
      select count(*)::int from attestations a
      where a.workspace_id = u.workspace_id and a.period = u.period
        and (a.status in ('pending', 'verified') or a.verified_at is not null)) as counted
    from usage_periods u where u.used <> 500`
  expect(rows.length).toBeGreaterThan(5)
  for (const row of rows) expect(row.used).toBe(row.counted)
})
