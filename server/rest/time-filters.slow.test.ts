import { beforeAll, describe, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { toTimestamp } from "#server/lib/time.ts"
import { newWallet, type TestKey } from "#test/fixtures/app.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"

let other: TestKey

const FUND = "us_real_estate_fund_v1"
const ROWS = 400
const START = Date.parse("2026-01-01T00:00:00Z")
/** A row every quarter of an hour, with a pause of ten days in the middle. */
const timeOf = (n: number) => new Date(START + n * 900_000 + (n > ROWS / 2 ? 10 * 86_400_000 : 0))

/** Alternating rows of two workspaces. Every second pair of one was committed in reverse order, a minute apart. */
async function fill({ workspaceId }: TestKey, into: "operations" | "events" | "investors"): Promise<void> {
  const times = Array.from({ length: ROWS }, (_, n) => timeOf(n))
  for (let n = 0; n + 1 < ROWS; n += 4) {
    times[n + 1] = new Date(times[n]!.getTime() - 60_000)
  }
  for (const [n, at] of times.entries()) {
    const id = String(n).padStart(16, "z").replaceAll("0", "x")
    if (into === "operations")
      await sql`
        insert into operations (workspace_id, id, kind, status, payload, writes, reads, mint_config, wallet, from_wallet, error_code,
          error_detail, created_at, finished_at)
        values (${workspaceId}, ${`op_${id}`}, ${n % 10 === 0 ? "transfer" : "mint"}, 'failed', '{"amount":"1"}', '{}', '{}',
          ${FUND}, ${newWallet()}, ${newWallet()}, 'mint_paused', 'Paused.', ${at}, ${at})`
    else if (into === "investors")
      await sql`
        insert into investors (workspace_id, id, external_id, created_at)
        values (${workspaceId}, ${`inv_${id}`}, ${id}, ${at})`
    else
      await sql`
        insert into events (workspace_id, sequence, id, type, data, occurred_at, generation)
        values (${workspaceId}, ${n + 1}, ${`evt_${id}`}, ${n % 10 === 0 ? "token.resumed" : "token.paused"},
          '{"mint_config":"us_real_estate_fund_v1","symbol":"USREF"}', ${at}, 'g1')`
  }
}

usesCustomer({ environment: { VOUCH_ROLE: "web" } })
beforeAll(async () => {
  other = await app.key()
  await fill(key, "operations")
  await fill(other, "operations")
  await fill(key, "investors")
  await fill(key, "events")
  for (const { workspaceId } of [key])
    await sql`insert into event_counters (workspace_id, last) values (${workspaceId}, ${ROWS})`
  // Some operations are in the archive.
  await sql`
    with gone as (
      delete from only operations where workspace_id = ${key.workspaceId} and created_at < ${timeOf(90)} returning *
    ) insert into archived_operations select * from gone`
})

type Row = { created_at?: string; occurred_at?: string; kind?: string; type?: string }
const get = (path: string, by = key) => app.request({ method: "GET", path, key: by.apiKey })

async function all(path: string): Promise<Row[]> {
  const rows: Row[] = []
  for (let cursor = ""; ; ) {
    const { status, json, text } = await get(`${path}&limit=100${cursor && `&cursor=${cursor}`}`)
    expect(status, text).toBe(200)
    rows.push(...json.data)
    if (!json.next_cursor) return rows
    cursor = json.next_cursor
  }
}

const lists = [
  ["/token/operations", (row: Row) => row.created_at!],
  ["/investors", (row: Row) => row.created_at!],
  ["/events", (row: Row) => row.occurred_at!],
] as const

const seconds = (n: number, more = 0) => toTimestamp(new Date(timeOf(n).getTime() + more * 1000))
/** Times at rows, just before and after them, in the pause, before the first row and after the last. */
const times = [
  "0001-01-01T00:00:00Z",
  toTimestamp(new Date(START - 3_600_000)),
  ...[0, 1, 2, 89, 90, 91, 199, 200, 201, 202, 350, ROWS - 1].flatMap((n) =>
    [-61, -1, 0, 1, 61].map((s) => seconds(n, s)),
  ),
  seconds(ROWS / 2, 5 * 86_400),
  "2027-06-01T00:00:00Z",
  "9999-12-31T23:59:59Z",
  // The formats of JavaScript, Python and Go.
  seconds(90).replace("Z", ".000Z"),
  seconds(200).replace("Z", ".001000Z"),
  seconds(201).replace("Z", ".999999999Z"),
]

describe.each(lists)("%s", (path, timeIn) => {
  test("has exactly the rows from one time until before the other, in the order of the list", async () => {
    const everything = path === "/events" ? (await get(`${path}?limit=1000`)).json.data : await all(`${path}?`)
    expect(everything).toHaveLength(ROWS)
    const read = async (query: string): Promise<Row[]> =>
      path === "/events" ? (await get(`${path}?limit=1000&${query}`)).json.data : all(`${path}?${query}`)
    const at = (row: Row) => Date.parse(timeIn(row))
    for (const [i, time] of times.entries()) {
      const later = times[(i * 7 + 13) % times.length]!
      for (const [query, isIn] of [
        [`created_after=${time}`, (row: Row) => at(row) >= Date.parse(time)],
        [`created_before=${time}`, (row: Row) => at(row) < Date.parse(time)],
        [
          `created_after=${time}&created_before=${later}`,
          (row: Row) => at(row) >= Date.parse(time) && at(row) < Date.parse(later),
        ],
      ] as const) {
        expect(await read(query), query).toEqual(everything.filter(isIn))
      }
    }
  })

  test("a reversed or empty span has no rows", async () => {
    for (const [after, before] of [
      ["2026-01-05T00:00:00Z", "2026-01-01T00:00:00Z"],
      ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"],
    ]) {
      const { status, json } = await get(`${path}?created_after=${after}&created_before=${before}`)
      expect([status, json.data]).toEqual([200, []])
    }
  })

  test.each([
    "x",
    "",
    "%00",
    "2026-01-01",
    "2026-02-30T00:00:00Z",
    "0000-01-01T00:00:00Z",
    "2026-01-01T00:00:00.Z",
    "2026-01-01T00:00:00.5",
    "2026-01-01T00:00:00.5%2B00:00",
    "1767225600",
  ])("%j is not a time", async (time) => {
    for (const name of ["created_after", "created_before"]) {
      const { status, json } = await get(`${path}?${name}=${time}`)
      expect([status, json.error]).toEqual([422, "validation_failed"])
      expect(json.detail).toMatch(new RegExp(`^${name}: `))
    }
  })

  test("a time may be sent only once", async () => {
    const time = "created_after=2026-01-01T00:00:00Z"
    expect((await get(`${path}?${time}&${time}`)).status).toBe(422)
  })
})

test("attestations and sessions have no rows in a reversed span", async () => {
  await app.startSession(key)
  for (const path of ["/attestations", "/kyc/sessions"]) {
    const { status, json } = await get(`${path}?created_after=2030-01-01T00:00:00Z&created_before=2020-01-01T00:00:00Z`)
    expect([status, json.data]).toEqual([200, []])
    expect((await get(`${path}?created_after=2020-01-01T00:00:00Z`)).json.data.length).toBeGreaterThan(0)
  }
})

test("operations are filtered by kind, also within a span, and unknown kinds are refused", async () => {
  const transfers = await all("/token/operations?kind=transfer")
  expect(transfers).toHaveLength(ROWS / 10)
  expect(new Set(transfers.map(({ kind }) => kind))).toEqual(new Set(["transfer"]))
  const mints = await all(`/token/operations?kind=mint&created_after=${seconds(300)}`)
  expect(mints.every(({ kind, created_at }) => kind === "mint" && created_at! >= seconds(300))).toBe(true)
  expect(mints.length).toBeGreaterThan(80)
  for (const kind of ["attest", "", "MINT", "%00"])
    expect((await get(`/token/operations?kind=${kind}`)).json.detail).toMatch(/^kind: /)
})

test("events are filtered by type, also within a span and after a sequence number", async () => {
  const { json } = await get(`/events?type=token.resumed&after=50&created_before=${seconds(180)}`)
  expect(json.data.every((row: Row & { sequence: number }) => row.type === "token.resumed" && row.sequence > 50)).toBe(
    true,
  )
  expect(json.data.length).toBe(13)
})

test("later pages stay within the span while rows are added, and never contain another workspace's rows", async () => {
  const query = `/token/operations?created_after=${seconds(100)}&created_before=${seconds(110)}`
  const first = await get(`${query}&limit=4`)
  await app.request({ method: "GET", path: "/usage", key: other.apiKey })
  const rest = await get(`${query}&limit=100&cursor=${first.json.next_cursor}`)
  const whole = await get(`${query}&limit=100`)
  expect([...first.json.data, ...rest.json.data]).toEqual(whole.json.data)
  expect((await get(`${query}&limit=100`, other)).json.data).toHaveLength(whole.json.data.length)
  expect((await get(query, await app.key())).json.data).toEqual([])
})
