import { afterAll, expect, test } from "vitest"
import type { Event, Rewound } from "#client/index.ts"
import { Vouch } from "#client/index.ts"
import { waitFor } from "#test/fixtures/app.ts"
import {
  admin,
  app,
  becomes,
  goesOn,
  key,
  mintLater,
  restores,
  serve,
  tokens,
  use,
  withoutWorker,
} from "#test/fixtures/restores.ts"
import { Primary, type Standby } from "#test/fixtures/standby.ts"

// A standby that streams asynchronously takes over without the primary's last commits.

let primary: Primary
let standby: Standby
// Last of all.
afterAll(async () => {
  await standby?.stop()
  await primary?.stop()
})
restores(async () => {
  primary = await Primary.start()
  return primary.url
})

const list = async (query: string) =>
  app.request({ method: "GET", path: `/events?limit=1000&${query}`, key: key.apiKey })
const all = async (): Promise<Event[]> => (await list("")).json.data
const count = (wanted: number) => waitFor(async () => (await all()).length >= wanted, `${wanted} events`)
const reject = (session_id: string) =>
  app.webhook({ session_id, decision: "rejected", occurred_at: "2026-01-01T00:00:00Z" })

test("a reader gets every event that a promoted standby has, and events that happen again keep their ids", async () => {
  const config = await tokens.config()
  const [wallet] = await tokens.wallets(1)
  const { sessionId } = await app.startSession(key)
  standby = await primary.replicate()
  const mint = await withoutWorker(() => mintLater(config, wallet, "5"))
  await primary.caughtUp()
  await standby.cut()

  // All of this is lost with the primary. The mint is on chain, and the provider sends its rejection again.
  await serve()
  const shared = (await all()).length
  await becomes(mint, "confirmed")
  await reject(sessionId)
  for (let i = 0; i < 3; i++) await app.startSession(key)
  await count(shared + 9)

  const rewound: Rewound[] = []
  const fetchNow: typeof fetch = (url, init) => {
    const { pathname, search } = new URL(String(url))
    return fetch(`${app.origin}${pathname}${search}`, init)
  }
  const vouch = new Vouch({
    baseUrl: app.origin,
    apiKey: key.apiKey,
    fetch: fetchNow,
    onRewound: (one) => rewound.push(one),
  })
  const seen: Event[] = []
  const follower = vouch.followEvents()
  const readTo = async (done: () => boolean | Promise<boolean>) => {
    while (!(await done())) seen.push((await follower.next()).value as Event)
  }
  const before = await all()
  await readTo(() => seen.length === before.length)
  const last = before.at(-1)!

  await app.stop()
  await admin.end()
  await primary.stop()
  await standby.promote()
  use(standby.url)
  await serve()
  await goesOn()
  await becomes(mint, "confirmed")
  await reject(sessionId)
  // More events than were lost, so that numbers the reader has are assigned again.
  for (let i = 0; i < 8; i++) await app.startSession(key)
  await count(before.length + 10)
  const after = await all()

  const refused = await list(`cursor=${last.cursor}`)
  const common = before.filter(({ cursor }) => after.some((one) => one.cursor === cursor)).at(-1)!
  expect(refused).toMatchObject({
    status: 410,
    headers: { "resume-cursor": common.cursor },
    json: { error: "events_rewound", detail: expect.stringContaining(common.cursor) },
  })
  expect(after.slice(common.sequence - 1, common.sequence)).toEqual([common])

  await readTo(() => seen.at(-1)!.id === after.at(-1)!.id)
  expect(after.filter(({ id }) => !seen.some((one) => one.id === id))).toEqual([])
  expect(rewound).toMatchObject([{ cursor: last.cursor, resumeCursor: common.cursor }])
  expect(after.map(({ sequence }) => sequence)).toEqual(after.map((_, at) => at + 1))
  // The reader got the lost mint and rejection once more each, with the same ids.
  expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length)
  for (const type of ["operation.confirmed", "attestation.rejected"]) {
    const of = (events: Event[]) => events.filter((one) => one.type === type).map(({ id }) => id)
    expect(of(before), type).toHaveLength(1)
    expect(of(after), type).toEqual(of(before))
  }
})
