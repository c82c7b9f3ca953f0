import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { createAccount } from "#server/domain/onboarding/create-account.ts"
import { newId } from "#server/lib/ids.ts"
import { clock, periodOf } from "#server/lib/time.ts"
import type { TestKey } from "#test/fixtures/app.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"
import { setPlan } from "./accounts.ts"
import { setBudget } from "./budget.ts"
import { monthsBack } from "./usage.ts"

usesApp()

const history = (key: TestKey, query = "") =>
  app.request({ method: "GET", path: `/usage/history${query}`, key: key.apiKey })
const made = (key: TestKey, ago: string) =>
  sql`update workspaces set created_at = now() - ${ago}::interval where id = ${key.workspaceId}`

test("the current month equals GET /usage, and no month is older than the workspace", async () => {
  const key = await app.key()
  await app.verifiedWallet(key)
  await app.startSession(key)
  const { json: now } = await app.request({ method: "GET", path: "/usage", key: key.apiKey })
  expect(now.used).toBe(2)
  const { json } = await history(key)
  expect(json.data).toHaveLength(1)
  // Costs of a transaction are counted a little later.
  expect({ ...json.data[0], chain: null }).toEqual({ ...now, chain: null })
  expect(Object.keys(json.data[0].chain)).toEqual(Object.keys(now.chain))
})

test("past months show what was used and paid, with the plan and budget at the end of each", async () => {
  const name = newId("acct")
  const account = await createAccount({ name, plan: "growth" })
  const key = await app.key({ account, mode: "live" })
  await made(key, "13 months")
  const [current, last, before] = monthsBack(clock.now(), 3).map(periodOf) as [string, string, string]
  await sql`
    insert into usage_periods (workspace_id, period, used)
    values (${key.workspaceId}, ${last}, 70), (${key.workspaceId}, ${before}, 9000)`
  await sql`
    insert into chain_costs (workspace_id, period, transactions, fee, rent)
    values (${key.workspaceId}, ${before}, 3, 15000, 9000000000000000000)`
  // The month before last kept its first plan to the end. Last month, it changed twice.
  await setPlan(name, "free", null)
  await setPlan(name, "enterprise", 123)
  await setBudget(name, "live", 5n)
  // Entries cannot be changed, but the log's clock can.
  const at = (period: string) => new Date(`${period}T12:00:00Z`)
  await sql.begin(async (sql) => {
    await sql`set local session_replication_role = replica`
    await sql`update audit_entries set at = ${at(last)} where subject in (${account.id}, ${key.workspaceId}) and action like 'account.%_changed'`
  })
  const { json } = await history(key, "?months=24")
  expect(json.data).toHaveLength(14)
  expect(json.data.slice(0, 3)).toMatchObject([
    { plan: "enterprise", included: 123, used: 0, remaining: 123, chain: { budget_lamports: "5" } },
    {
      plan: "enterprise",
      included: 123,
      used: 70,
      remaining: 53,
      chain: { transactions: 0, budget_lamports: "5" },
    },
    {
      plan: "growth",
      included: 10_000,
      used: 9000,
      remaining: 1000,
      chain: {
        transactions: 3,
        fee_lamports: "15000",
        rent_lamports: "9000000000000000000",
        budget_lamports: null,
      },
    },
  ])
  expect(json.data[0].period_start).toBe(`${current}T00:00:00Z`)
  for (const [i, month] of json.data.slice(1).entries()) {
    expect(month.period_end).toBe(json.data[i].period_start)
  }
})

test("a history has 1 to 24 months, 12 by default", async () => {
  const key = await app.key()
  await made(key, "5 years")
  for (const [query, count] of [
    ["", 12],
    ["?months=1", 1],
    ["?months=24", 24],
  ] as const) {
    expect((await history(key, query)).json.data).toHaveLength(count)
  }
  for (const months of ["0", "25", "-1", "1.5", "x", "%00", "", "1e1", "99999999999999999999"]) {
    const { status, json } = await history(key, `?months=${months}`)
    expect([months, status, json.detail]).toEqual([months, 422, expect.stringMatching(/^months: /)])
  }
})

test("a test workspace has the free plan's limit in each month, and shows nothing of the live one", async () => {
  const account = await createAccount({ name: newId("acct"), plan: "enterprise" })
  const [live, inTest] = [await app.key({ account, mode: "live" }), await app.key({ account, mode: "test" })]
  for (const key of [live, inTest]) await made(key, "2 months")
  await app.startSession(live)
  const { json } = await history(inTest)
  expect(json.data.map(({ used, included }: { used: number; included: number }) => [used, included])).toEqual(
    json.data.map(() => [0, 500]),
  )
  expect((await history(live)).json.data[0]).toMatchObject({ used: 1, included: null, remaining: null })
})
