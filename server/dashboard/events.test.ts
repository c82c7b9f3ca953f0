import { beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { newId } from "#server/lib/ids.ts"
import { newWallet } from "#test/fixtures/app.ts"
import { member } from "#test/fixtures/people.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

let people: Awaited<ReturnType<typeof member>>
const wallet = newWallet()

usesApp({ environment: { VOUCH_ROLE: "web" } })
beforeAll(async () => {
  people = await member(app)
  const { workspaceId } = people
  await sql`
    insert into events (workspace_id, sequence, id, type, data, occurred_at, generation)
    select ${workspaceId}, n, 'evt_' || lpad(translate(n::text, '0', 'A'), 22, 'z'),
      case when n % 2 = 0 then 'token.paused' else 'investor.frozen' end,
      jsonb_build_object('user_pubkey', case when n in (3, 7, 21000) then ${wallet} else 'another-wallet' end),
      timestamptz '2026-05-01' + n * interval '1 minute', 'g1'
    from generate_series(1, 21000) n`
  await sql`
    insert into event_counters (workspace_id, last) values (${workspaceId}, 21000)
    on conflict (workspace_id) do update set last = 21000`
})

type Page = { data: { sequence: number }[]; next_cursor: string | null }
const search = async (input: object): Promise<Page> => {
  const { status, data, error } = await people.browser.query("event.search", input)
  expect([status, error]).toEqual([200, undefined])
  return data
}
const numbers = ({ data }: Page) => data.map(({ sequence }) => sequence)

test("events are listed newest first, in pages, and filtered by type and time", async () => {
  const first = await search({ limit: 3 })
  expect(numbers(first)).toEqual([21000, 20999, 20998])
  expect(numbers(await search({ limit: 2, cursor: first.next_cursor }))).toEqual([20997, 20996])
  expect(numbers(await search({ limit: 2, type: "investor.frozen" }))).toEqual([20999, 20997])
  const span = { from: "2026-05-01T00:05:00Z", to: "2026-05-01T00:08:00Z" }
  expect(numbers(await search(span))).toEqual([7, 6, 5])
  expect(numbers(await search({ from: span.to, to: span.from }))).toEqual([])
})

test("events are searched by subject a part at a time, and none is skipped", async () => {
  const first = await search({ about: wallet, limit: 10 })
  expect(numbers(first)).toEqual([21000])
  const rest = await search({ about: wallet, limit: 10, cursor: first.next_cursor })
  expect([numbers(rest), rest.next_cursor]).toEqual([[7, 3], null])
  expect(numbers(await search({ about: wallet, type: "investor.frozen" }))).toEqual([7, 3])
})

test("events are searched by the name of the person they are about", async () => {
  const { workspaceId } = people
  await sql`
    insert into investors (workspace_id, id, external_id, created_at)
    values (${workspaceId}, 'inv_ofTheseEvents123456789', 'Nora-Berg-77', now())`
  await sql`
    insert into attestations (workspace_id, id, schema_id, wallet, investor_id, status, period, created_at, session_id, provider)
    values (${workspaceId}, ${newId("att")}, 'kyc_individual_v1', ${wallet}, 'inv_ofTheseEvents123456789', 'pending',
      '2026-05-01', now(), ${newId("sess")}, 'sandbox')`
  const first = await search({ about: "berg nora", limit: 10 })
  expect(numbers(first)).toEqual([21000])
  expect(numbers(await search({ about: "berg nora", limit: 10, cursor: first.next_cursor }))).toEqual([7, 3])
  expect(
    numbers(await search({ about: "nora vik", limit: 10, from: "2026-05-01T00:00:00Z", to: "2026-05-02T00:00:00Z" })),
  ).toEqual([])
})

test("an event is found by number, cursor and id, in its own workspace only", async () => {
  expect(numbers(await search({ about: "42" }))).toEqual([42])
  expect(numbers(await search({ about: "9".repeat(15) }))).toEqual([])
  expect(numbers(await search({ about: "42-g1" }))).toEqual([42])
  expect(numbers(await search({ about: "42-ffffffffffff" }))).toEqual([])
  const [row] = await sql<{ id: string }[]>`
    insert into events (workspace_id, sequence, id, type, data, occurred_at, generation)
    values (${people.workspaceId}, 21001, ${newId("evt")}, 'token.paused', '{"mint_config": "m", "symbol": "M"}', now(), 'g1')
    returning id`
  expect(numbers(await search({ about: row!.id }))).toEqual([21001])
  const view = await people.browser.query("event.view", { id: row!.id })
  expect(view.data).toMatchObject({ event: { sequence: 21001, data: { symbol: "M" } }, deliveries: [] })
  const stranger = await member(app)
  expect((await stranger.browser.query("event.search", { about: row!.id })).data.data).toEqual([])
  expect((await stranger.browser.query("event.view", { id: row!.id })).error.error).toBe("event_not_found")
  const cursor = (await search({ limit: 1 })).next_cursor
  expect((await stranger.browser.query("event.search", { cursor })).error.error).toBe("validation_failed")
})

test("the token of an event is named", async () => {
  const { workspaceId, browser } = people
  await sql`
    insert into mint_configs (workspace_id, id, name, symbol, decimals, required_schema, transfer_mode, rules, created_at)
    values (${workspaceId}, 'fund', 'Income Fund', 'INC', 0, 'kyc_individual_v1', 'agent', '{}', now())`
  const id = newId("evt")
  await sql`
    insert into events (workspace_id, sequence, id, type, data, occurred_at, generation)
    values (${workspaceId}, 21002, ${id}, 'token.paused', '{"mint_config": "fund", "symbol": "INC"}', now(), 'g1')`
  const named = { people: [], tokens: [{ id: "fund", name: "Income Fund", symbol: "INC" }] }
  expect((await browser.query("event.search", { about: id })).data).toMatchObject(named)
  expect((await browser.query("event.view", { id })).data).toMatchObject(named)
})

test("what was requested for approval is named with its event, in its own workspace only", async () => {
  const { workspaceId, browser } = people
  const [id, approval] = [newId("evt"), newId("apr")]
  const request = { amount: "180000", mint_config: "fund", user_pubkey: newWallet() }
  await sql`
    insert into approvals (workspace_id, id, action, subject, request, digest, needed, roles, requester, requesters,
      created_at, expires_at)
    values (${workspaceId}, ${approval}, 'mint', 'op_1', ${sql.json(request)}, 'digest', 1, ${["owner"]},
      ${sql.json({ kind: "user", id: "user_x", name: "x" })}, ${["user_x"]}, now(), now() + interval '1 day')`
  const data = { approval_id: approval, action: "mint", state: "pending", mint_config: "fund" }
  const insertInto = (workspace: string) => sql`
    insert into events (workspace_id, sequence, id, type, data, occurred_at, generation)
    values (${workspace}, 21003, ${id}, 'approval.requested', ${sql.json(data)}, now(), 'g1')`
  await insertInto(workspaceId)
  const approvals = [{ id: approval, action: "mint", request }]
  expect((await browser.query("event.view", { id })).data).toMatchObject({ approvals, tokens: [{ symbol: "INC" }] })
  const stranger = await member(app)
  await insertInto(stranger.workspaceId)
  expect((await stranger.browser.query("event.view", { id })).data).toMatchObject({ approvals: [], tokens: [] })
})
