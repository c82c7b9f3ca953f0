import { beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { newId } from "#server/lib/ids.ts"
import { newWallet, type TestKey } from "#test/fixtures/app.ts"
import { type Browser, member } from "#test/fixtures/people.ts"
import { reviewTeam, vendorReview } from "#test/fixtures/reviews.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

usesApp({ environment: { VOUCH_ROLE: "web" } })

let browser: Browser
let key: TestKey
beforeAll(async () => {
  const owner = await member(app)
  browser = owner.browser
  key = await app.key({ account: owner.account })
})

async function download(list: string, query: Record<string, string> = {}, by = browser) {
  const asked = new URLSearchParams({ workspace: by.workspaceId!, ...query })
  const response = await by.fetch(`/api/export/${list}.csv?${asked}`)
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, rows: text.trim().split("\r\n").slice(1) }
}

const start = async (externalId: string) => {
  const json = { userPubkey: newWallet(), schemaId: "kyc_individual_v1", externalId }
  await app.request({ method: "POST", path: "/kyc/start", key: key.apiKey, json })
  return json.userPubkey
}

test("a list of several pages is exported whole and once, in its order", async () => {
  const owner = await member(app)
  const ids = Array.from({ length: 230 }, () => newId("inv"))
  const attestations = ids.map(() => newId("att"))
  await sql`
    insert into investors (workspace_id, id, external_id, created_at)
    select ${owner.workspaceId}, t.id, 'bulk-' || t.n, now() from unnest(${ids}::text[]) with ordinality as t(id, n)`
  await sql`
    insert into attestations
      (workspace_id, id, schema_id, wallet, investor_id, external_id, status, period, created_at, session_id, provider)
    select ${owner.workspaceId}, t.id, 'kyc_individual_v1', 'wallet-' || t.n, t.investor, 'bulk-' || t.n, 'rejected',
      '2026-01-01', now(), t.id, 'sandbox'
    from unnest(${attestations}::text[], ${ids}::text[]) with ordinality as t(id, investor, n)`
  const investors = await download("investors", {}, owner.browser)
  expect(investors.status).toBe(200)
  expect(investors.rows.map((row) => row.split(",")[0])).toEqual(ids.toReversed())
  const sessions = await download("sessions", { state: "closed", order: "oldest" }, owner.browser)
  expect(sessions.rows.map((row) => row.split(",")[0])).toEqual(attestations)
})

test("a file has the list's filters, and refuses those that the list does not know", async () => {
  const wanted = await start("filter-a")
  await start("filter-b")
  const { rows, headers } = await download("investors", { q: "filter-a" })
  expect(rows).toHaveLength(1)
  expect(rows[0]).toContain(wanted)
  expect(headers.get("content-disposition")).toMatch(/^attachment; filename="investors-\d{4}-\d\d-\d\d\.csv"$/)
  for (const query of [{ nonsense: "1" }, { cursor: "x" }, { status: "unheard" }] as Record<string, string>[]) {
    const { status, text } = await download("investors", query)
    expect([status, JSON.parse(text).error]).toEqual([422, "validation_failed"])
  }
})

test("a filter that is a number arrives as one", async () => {
  const team = await reviewTeam(app)
  const [old] = [await vendorReview(app, team.key), await vendorReview(app, team.key)]
  await sql`update reviews set opened_at = opened_at - interval '8 days' where id = ${old.reviewId}`
  const { rows } = await download("reviews", { state: "waiting", days: "7" }, team.officer)
  expect(rows.map((row) => row.split(",")[0])).toEqual([old.reviewId])
})

test("a text that looks like a formula stays text, and a session's link is in no file", async () => {
  await start('=HYPERLINK("https://evil.example")')
  const { text, rows } = await download("sessions", { state: "open" })
  expect(rows.join()).toContain(`"'=HYPERLINK(""https://evil.example"")"`)
  expect(text).not.toContain("sess_")
})

test("a file has nothing of another workspace, and needs the rights of its list", async () => {
  await start("mine")
  const stranger = await member(app)
  for (const list of ["sessions", "investors", "events", "requests", "operations", "holds", "keys"])
    expect([list, (await download(list, {}, stranger.browser)).rows]).toEqual([list, []])
  stranger.browser.workspaceId = browser.workspaceId
  expect((await download("sessions", {}, stranger.browser)).status).toBe(404)
  const { account } = await reviewTeam(app)
  const viewer = await member(app, { role: "viewer", account })
  expect((await download("reviews", {}, viewer.browser)).status).toBe(403)
})

test("a search in parts goes on after a part without matches", async () => {
  const owner = await member(app)
  const own = await app.key({ account: owner.account })
  await sql`
    insert into api_requests (workspace_id, id, at, method, path, status, duration_us, key_id, headers)
    select ${owner.workspaceId}, 'req_' || translate(lpad(n::text, 22, 'b'), '0', 'a'), now() - n * interval '1 second',
      case when n = 20500 then 'DELETE' else 'GET' end, '/v1/key', 200, 1000, ${own.keyId}, '{}'
    from generate_series(1, 20500) n`
  const { rows } = await download("requests", { method: "DELETE" }, owner.browser)
  expect(rows).toHaveLength(1)
})
