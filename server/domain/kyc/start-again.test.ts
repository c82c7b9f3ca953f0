import { afterAll, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { newId } from "#server/lib/ids.ts"
import { newWallet, startTestApp, type TestApp, type TestKey } from "#test/app.ts"
import type { Sent } from "#test/http.ts"

let app: TestApp
let key: TestKey

beforeAll(async () => {
  app = await startTestApp({ VOUCH_ROLE: "web" })
  key = await app.key()
})
afterAll(() => app.stop())

type More = { externalId?: string; redirectUrl?: string }

const start = (wallet: string, more: More = {}, sent: Partial<Sent> = {}) =>
  app.request({
    method: "POST",
    path: "/kyc/start",
    key: key.apiKey,
    json: { userPubkey: wallet, schemaId: "kyc_individual_v1", ...more },
    ...sent,
  })

const sessionsOf = (wallet: string) =>
  sql`select external_id, redirect_url from attestations where wallet = ${wallet} order by seq`

async function used(): Promise<number> {
  const { json } = await app.request({ method: "GET", path: "/usage", key: key.apiKey })
  return json.used
}

test("a second start on an open session takes what is sent anew, keeps what is not, and counts nothing", async () => {
  const wallet = newWallet()
  const first = await start(wallet, { externalId: "one", redirectUrl: "https://example.com/1" })
  const before = await used()
  const steps: [More, { external_id: string | null; redirect_url: string | null }][] = [
    [{ externalId: "two" }, { external_id: "two", redirect_url: "https://example.com/1" }],
    [{ redirectUrl: "https://example.com/2" }, { external_id: "two", redirect_url: "https://example.com/2" }],
    [{}, { external_id: "two", redirect_url: "https://example.com/2" }],
    [
      { externalId: "three", redirectUrl: "https://example.com/3" },
      { external_id: "three", redirect_url: "https://example.com/3" },
    ],
  ]
  for (const [sent, row] of steps) {
    const again = await start(wallet, sent)
    expect(again).toMatchObject({ status: 200, json: first.json })
    expect(await sessionsOf(wallet)).toEqual([row])
  }
  expect(await used()).toBe(before)
})

test("one that was started without them gets them", async () => {
  const wallet = newWallet()
  await start(wallet)
  await start(wallet, { externalId: "late", redirectUrl: "https://example.com/late" })
  expect(await sessionsOf(wallet)).toEqual([
    { external_id: "late", redirect_url: "https://example.com/late" },
  ])
})

test("a replay changes nothing: what a later request sent stays", async () => {
  const wallet = newWallet()
  const [name, later] = [newId("evt"), newId("evt")]
  const first = await start(wallet, { externalId: "first" }, { idempotencyKey: name })
  const second = await start(wallet, { externalId: "second" }, { idempotencyKey: later })
  expect(second.text).toBe(first.text)
  expect(await sessionsOf(wallet)).toMatchObject([{ external_id: "second" }])
  const replay = await start(wallet, { externalId: "first" }, { idempotencyKey: name })
  expect(replay.headers["idempotent-replayed"]).toBe("true")
  expect(await sessionsOf(wallet)).toMatchObject([{ external_id: "second" }])
  const other = await start(wallet, { externalId: "third" }, { idempotencyKey: later })
  expect(other).toMatchObject({ status: 422, json: { error: "idempotency_key_reused" } })
  expect(await sessionsOf(wallet)).toMatchObject([{ external_id: "second" }])
})

test("what is not valid changes nothing, and an ended session stays as it was", async () => {
  const wallet = newWallet()
  const first = await start(wallet, { externalId: "one" })
  const refused = await start(wallet, { externalId: "two", redirectUrl: "http://example.com/" })
  expect(refused).toMatchObject({ status: 422, json: { error: "validation_failed" } })
  expect(await sessionsOf(wallet)).toMatchObject([{ external_id: "one" }])
  await app.webhook({ session_id: first.json.session_id, decision: "rejected" })
  const renewed = await start(wallet, { externalId: "two" })
  expect(renewed.json.session_id).not.toBe(first.json.session_id)
  expect(await sessionsOf(wallet)).toMatchObject([{ external_id: "one" }, { external_id: "two" }])
})

test("50 at once with names of their own: one session, one unit, and the name of one of them", async () => {
  const wallet = newWallet()
  const before = await used()
  const names = Array.from({ length: 50 }, (_, i) => `name-${i}`)
  const answers = await Promise.all(
    names.map((externalId, i) => start(wallet, { externalId }, i % 2 ? { idempotencyKey: externalId } : {})),
  )
  expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200))
  expect(new Set(answers.map(({ json }) => json.session_id)).size).toBe(1)
  const rows = await sessionsOf(wallet)
  expect(rows).toHaveLength(1)
  expect(names).toContain(rows[0]!.external_id)
  expect(await used()).toBe(before + 1)
})
