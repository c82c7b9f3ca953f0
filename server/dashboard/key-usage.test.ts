import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { addDays, startOfDay } from "#server/lib/time.ts"
import { clean } from "#server/start/retention.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { moveClock } from "#test/fixtures/clock.ts"
import { member } from "#test/fixtures/people.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

usesApp({ environment: { VOUCH_ROLE: "web" } })

type Usage = { days: string[]; data: { key_id: string; requests: number[]; errors: number[] }[] }

test("each key's requests and errors of today are counted, those of other workspaces are not", async () => {
  const owner = await member(app)
  const [one, two, unused] = [
    await app.key({ account: owner.account }),
    await app.key({ account: owner.account }),
    await app.key({ account: owner.account }),
  ]
  const stranger = await member(app)
  for (const [key, path, times] of [
    [one, "/usage", 3],
    [one, "/attestation/att_unknown", 2],
    [two, "/usage", 1],
  ] as const)
    for (let n = 0; n < times; n++) await app.request({ method: "GET", path, key: key.apiKey })
  const usage = async (by = owner) => (await by.browser.query("key.usage")).data as Usage
  const today = (of: Usage, keyId: string) => {
    const found = of.data.find(({ key_id }) => key_id === keyId)
    return found && [found.requests.at(-1), found.errors.at(-1)]
  }
  await waitFor(async () => today(await usage(), one.keyId)?.[0] === 5, "the requests to be counted")
  const counted = await usage()
  expect(counted.days).toHaveLength(30)
  expect(counted.days.at(-1)).toBe(startOfDay(new Date()).toISOString().replace(".000Z", "Z"))
  expect(today(counted, one.keyId)).toEqual([5, 2])
  expect(today(counted, two.keyId)).toEqual([1, 0])
  expect(today(counted, unused.keyId)).toBeUndefined()
  expect((await usage(stranger)).data).toEqual([])
  const viewer = await member(app, { role: "viewer", account: owner.account })
  expect(today(await usage(viewer), one.keyId)).toEqual([5, 2])
})

test("a day is in its place, and is deleted when its requests are", async () => {
  const owner = await member(app)
  const { keyId, workspaceId } = await app.key({ account: owner.account })
  const now = new Date(Date.UTC(2029, 5, 30, 12))
  await moveClock(now)
  await sql`
    insert into key_usage (workspace_id, key_id, day, requests, errors)
    select ${workspaceId}, ${keyId}, ${startOfDay(now)}::timestamptz - n * interval '1 day', n, 0
    from generate_series(0, 40) n`
  const { data } = (await owner.browser.query("key.usage")).data as Usage
  expect(data).toEqual([
    { key_id: keyId, requests: Array.from({ length: 30 }, (_, n) => 29 - n), errors: Array(30).fill(0) },
  ])
  await clean()
  const [kept] = await sql`select min(day) as first from key_usage where workspace_id = ${workspaceId}`
  expect(kept!.first).toEqual(addDays(startOfDay(now), -29))
})

test("one index serves the usage of all keys", async () => {
  const { workspaceId } = await app.key()
  await sql.begin(async (sql) => {
    await sql`set local enable_seqscan = off`
    const plan = await sql`
      explain select key_id, requests from key_usage where workspace_id = ${workspaceId} and day >= ${new Date()}`
    expect(JSON.stringify(plan)).toContain("key_usage_workspace_id_key_id_day_pk")
  })
})
