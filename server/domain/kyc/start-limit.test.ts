import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { setPlan } from "#server/domain/accounts/accounts.ts"
import { createAccount } from "#server/domain/onboarding/create-account.ts"
import { newId } from "#server/lib/ids.ts"
import { newWallet, type TestKey } from "#test/fixtures/app.ts"
import { moveClock } from "#test/fixtures/clock.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

usesApp({ environment: { VOUCH_ROLE: "web" } })

const limited = (quota: number) => app.key({ mode: "live", plan: "enterprise", quota })

const start = (key: TestKey, wallet = newWallet()) =>
  app.request({
    method: "POST",
    path: "/kyc/start",
    key: key.apiKey,
    json: { userPubkey: wallet, schemaId: "kyc_individual_v1" },
  })

const cancel = (key: TestKey, sessionId: string) =>
  app.request({ method: "POST", path: `/kyc/session/${sessionId}/cancel`, key: key.apiKey, json: {} })

async function startAndCancel(key: TestKey, times: number): Promise<void> {
  for (let n = 0; n < times; n++) {
    const { json } = await start(key)
    expect((await cancel(key, json.session_id)).status).toBe(200)
  }
}

const usage = async (key: TestKey) => (await app.request({ method: "GET", path: "/usage", key: key.apiKey })).json

test("a month admits ten starts for each unit, however many are returned, and then says why it refuses", async () => {
  const key = await limited(2)
  await startAndCancel(key, 20)
  expect(await usage(key)).toMatchObject({ used: 0, remaining: 2 })
  const refused = await start(key)
  expect(refused).toMatchObject({ status: 429, json: { error: "quota_exceeded" } })
  expect(refused.json.detail).toMatch(
    /^This workspace has started 20 sessions this month: 10 for each of its 2 attestations\. .* The next period begins at /,
  )
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0)
  await moveClock(new Date(/begins at (\S+Z)/.exec(refused.json.detail)![1]!))
  expect((await start(key)).status).toBe(200)
})

test("of forty simultaneous starts, exactly the remaining ones are admitted", async () => {
  const key = await limited(100)
  await startAndCancel(key, 1)
  await sql`update usage_periods set started = 995 where workspace_id = ${key.workspaceId}`
  const answers = await Promise.all(Array.from({ length: 40 }, () => start(key)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(35)
  expect(await usage(key)).toMatchObject({ used: 5 })
})

test("beyond the month's starts an open session is still returned, and a larger quota admits more starts", async () => {
  const name = newId("acct")
  const account = await createAccount({ name, plan: "enterprise", quota: 1 })
  const key = await app.key({ mode: "live", account })
  await startAndCancel(key, 9)
  const wallet = newWallet()
  const open = await start(key, wallet)
  expect((await start(key, wallet)).text).toBe(open.text)
  // Both limits are reached.
  expect((await start(key)).json.detail).toMatch(/^All 1 attestations of this month are used\./)
  await cancel(key, open.json.session_id)
  expect((await start(key, wallet)).status).toBe(429)
  await setPlan(name, "enterprise", 2)
  expect((await start(key)).status).toBe(200)
  await setPlan(name, "enterprise", null)
  await startAndCancel(key, 25)
})
