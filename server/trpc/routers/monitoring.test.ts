import { afterAll, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { startTestApp, type TestApp } from "#test/fixtures/app.ts"
import { member } from "#test/fixtures/people.ts"
import { type TestList, testList } from "#test/fixtures/screening.ts"

let app: TestApp
let list: TestList

beforeAll(async () => {
  list = await testList()
  app = await startTestApp({ VOUCH_SANCTIONS_LIST: list.path })
})
afterAll(async () => {
  await app.stop()
  await list.remove()
})

const defaults = {
  wallet_listed: "review",
  watchlist_match: "review",
  case_opened: "review",
  person_deactivated: "withdraw",
  data_deleted: "review",
}

test("a member who decides reviews changes policies of this workspace only, with one entry in the audit log", async () => {
  const owner = await member(app)
  const { account } = owner
  const officer = await member(app, { role: "compliance", account })
  const live = await member(app, { role: "compliance", account, mode: "live" })
  expect((await officer.browser.query("monitoring.get")).data).toMatchObject({
    policies: defaults,
    lists: [{ name: "ofac.txt", entries: 1, problem: null }],
    listed: 0,
    cleared: 0,
  })
  for (const _again of [1, 2]) {
    const { status, data } = await officer.browser.mutate("monitoring.change", { case_opened: "withdraw" })
    expect([status, data]).toEqual([200, { ...defaults, case_opened: "withdraw" }])
  }
  expect((await live.browser.query("monitoring.get")).data.policies).toEqual(defaults)
  const entries = await sql`
    select actor, detail from audit_entries where action = 'policies.changed' and workspace_id = ${owner.workspaceId}`
  expect(entries).toMatchObject([
    { actor: "user", detail: { before: { case_opened: "review" }, after: { case_opened: "withdraw" } } },
  ])
})

test.each(["developer", "viewer"] as const)("a %s sees the policies and cannot change them", async (role) => {
  const { account } = await member(app)
  const { browser } = await member(app, { role, account })
  expect((await browser.query("monitoring.get")).status).toBe(200)
  const { status, error } = await browser.mutate("monitoring.change", { wallet_listed: "freeze" })
  expect([status, error.error]).toEqual([403, "insufficient_scope"])
})

test("a choice that a policy does not have is refused", async () => {
  const { browser } = await member(app)
  for (const wrong of [{ wallet_listed: "withdraw" }, { case_opened: "freeze" }, { other: "review" }]) {
    const { status, error } = await browser.mutate("monitoring.change", wrong)
    expect([status, error.error]).toEqual([422, "validation_failed"])
  }
})
