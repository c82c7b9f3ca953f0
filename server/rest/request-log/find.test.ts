import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { newId } from "#server/lib/ids.ts"
import { addDays, addSeconds } from "#server/lib/time.ts"
import { clean } from "#server/start/retention.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { moveClock } from "#test/fixtures/clock.ts"
import { member } from "#test/fixtures/people.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

usesApp({ environment: { VOUCH_ROLE: "web" } })

test("filters and pages return each matching request once, newest first", async () => {
  const owner = await member(app)
  const [one, two] = [await app.key({ account: owner.account }), await app.key({ account: owner.account })]
  const sent: { id: string; path: string; key: string; status: number }[] = []
  for (let i = 0; i < 12; i++) {
    const by = i % 3 === 0 ? two : one
    const path = ["/usage", "/schemas", `/attestation/${newId("att")}`, "/nowhere"][i % 4]!
    const answer = await app.request({ method: "GET", path, key: by.apiKey })
    sent.unshift({ id: String(answer.headers["x-request-id"]), path, key: by.keyId, status: answer.status })
    // Requests of the same millisecond are ordered by id only.
    const at = Date.now()
    await waitFor(async () => Date.now() > at, "the next millisecond")
  }
  await waitFor(
    async () => (await owner.browser.query("request.list", { limit: 100 })).data.data.length === 12,
    "all to be logged",
  )
  const list = async (filter: object) => {
    const ids: string[] = []
    let cursor: string | undefined
    do {
      const { data } = await owner.browser.query("request.list", { ...filter, limit: 5, cursor })
      ids.push(...data.data.map((one: { request_id: string }) => one.request_id))
      cursor = data.next_cursor ?? undefined
    } while (cursor)
    return ids
  }
  const those = (wanted: (one: (typeof sent)[number]) => boolean) => sent.filter(wanted).map(({ id }) => id)
  expect(await list({})).toEqual(those(() => true))
  expect(await list({ status: "2xx" })).toEqual(those(({ status }) => status === 200))
  expect(await list({ status: "4xx" })).toEqual(those(({ status }) => status === 404))
  expect(await list({ status: "404" })).toEqual(those(({ status }) => status === 404))
  expect(await list({ status: "5xx" })).toEqual([])
  expect(await list({ key_id: two.keyId })).toEqual(those(({ key }) => key === two.keyId))
  expect(await list({ path: "/att" })).toEqual(those(({ path }) => path.startsWith("/att")))
  expect(await list({ path: "/usage", key_id: two.keyId, status: "200", method: "GET" })).toEqual(
    those(({ path, key }) => path === "/usage" && key === two.keyId),
  )
  expect(await list({ method: "POST" })).toEqual([])
  expect(await list({ request_id: sent[3]!.id })).toEqual([sent[3]!.id])
  const tomorrow = addDays(new Date(), 1).toISOString()
  expect(await list({ from: tomorrow })).toEqual([])
  expect(await list({ to: tomorrow })).toEqual(those(() => true))
  for (const cursor of ["nonsense", Buffer.from(newId("req")).toString("base64url")]) {
    expect((await owner.browser.query("request.list", { cursor })).error.error).toBe("validation_failed")
  }
  for (const status of ["9xx", "40", "4xxx", "404 or 1=1"]) {
    expect((await owner.browser.query("request.list", { status })).error.error).toBe("validation_failed")
  }
})

test("a filter without matches searches a bounded part and says whether more is left", async () => {
  const owner = await member(app)
  const { keyId } = await app.key({ account: owner.account })
  const now = new Date()
  await sql`
    insert into api_requests (workspace_id, id, at, method, path, status, duration_us, key_id, headers)
    select ${owner.workspaceId}, 'req_' || rpad(translate(n::text, '0', 'a') || 'b', 20, 'c'), ${now}::timestamptz - n * interval '1 s',
      'GET', case n when 25000 then '/rare' else '/usage' end, 200, 1, ${keyId}, '{}'
    from generate_series(1, 25001) n`
  const first = (await owner.browser.query("request.list", { path: "/rare" })).data
  expect(first.data).toEqual([])
  expect(first.next_cursor).toEqual(expect.any(String))
  const next = await owner.browser.query("request.list", { path: "/rare", cursor: first.next_cursor })
  expect(next.data).toMatchObject({ data: [{ path: "/rare" }], next_cursor: null })
})

test("requests are deleted after 30 days, in any number", async () => {
  const { keyId, workspaceId } = await app.key()
  const now = new Date(Date.UTC(2029, 5, 1))
  await moveClock(now)
  await sql`
    insert into api_requests (workspace_id, id, at, method, path, status, duration_us, key_id, headers)
    select ${workspaceId}, 'old ' || n, ${addDays(now, -30)}::timestamptz, 'GET', '/', 200, 1, ${keyId}, '{}'
    from generate_series(1, 6000) n`
  await sql`
    insert into api_requests (workspace_id, id, at, method, path, status, duration_us, key_id, headers)
    values (${workspaceId}, 'young', ${addSeconds(addDays(now, -30), 1)}, 'GET', '/', 200, 1, ${keyId}, '{}')`
  await clean()
  expect(await sql`select id from api_requests where workspace_id = ${workspaceId}`).toEqual([{ id: "young" }])
})

test("pages, errors and expired requests of the log are found by indexes", async () => {
  const plan = async (query: PromiseLike<unknown>) => JSON.stringify(await query)
  const { workspaceId } = await app.key()
  await sql`analyze api_requests`
  await sql.begin(async (sql) => {
    await sql`set local enable_seqscan = off`
    await sql`set local enable_sort = off`
    expect(
      await plan(sql`
        explain select id from api_requests where workspace_id = ${workspaceId} order by at desc nulls last, id desc nulls last limit 21`),
    ).toContain("api_requests_newest")
    expect(
      await plan(sql`
        explain select id from api_requests where workspace_id = ${workspaceId} and status >= 400
        order by at desc nulls last, id desc nulls last limit 21`),
    ).toContain("api_requests_errors")
    expect(
      await plan(sql`explain select ctid from api_requests where at <= ${new Date()} order by at limit 5000`),
    ).toContain("api_requests_at")
  })
})
