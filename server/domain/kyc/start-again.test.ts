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

type More = { externalId?: string; redirectUrl?: string; email?: string }

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

const stateOf = async (id: string) =>
  (await app.request({ method: "GET", path: `/kyc/session/${id}`, key: key.apiKey })).json.state

/** The hosted page's own form. */
const submit = async (sessionId: string) => {
  const response = await fetch(`${app.origin}/api/trpc/verification.submit`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      sessionId,
      consent: true,
      decision: "approved",
      country: "US",
      ageOver18: true,
      accredited: false,
    }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: answers of any shape
  return { status: response.status, json: (await response.json()) as any }
}

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

test("what its investor has begun is nobody else's: another name ends it and begins a session of its own", async () => {
  const wallet = newWallet()
  const name = newId("evt")
  const first = await start(wallet, { externalId: "one" }, { idempotencyKey: name })
  const before = await used()
  const { json } = await submit(first.json.session_id)
  expect(json.result.data.state).toBe("checking")
  // The same person's, until somebody else is named.
  for (const same of [{}, { externalId: "one" }, { redirectUrl: "https://example.com/2" }])
    expect((await start(wallet, same)).text).toBe(first.text)
  const second = await start(wallet, { externalId: "two" })
  expect(second.json.session_id).not.toBe(first.json.session_id)
  expect(await used()).toBe(before)

  const approved = await app.webhook({ session_id: first.json.session_id, decision: "approved" })
  expect(approved.json).toEqual({ received: true, outcome: "ignored" })
  expect(await stateOf(first.json.session_id)).toBe("cancelled")
  expect(await stateOf(second.json.session_id)).toBe("open")
  const replay = await start(wallet, { externalId: "one" }, { idempotencyKey: name })
  expect(replay.text).toBe(first.text)
  expect(await stateOf(second.json.session_id)).toBe("open")
})

test("where no other session can begin, the one that was begun goes on", async () => {
  const wallet = newWallet()
  const owner = await app.key()
  const { sessionId } = await app.startSession(owner, wallet)
  const named = { externalId: "one" }
  await start(wallet, named, { key: owner.apiKey })
  await app.webhook({ session_id: sessionId, decision: "in_review" })
  await sql`update usage_periods set used = 501 where workspace_id = ${owner.workspaceId}`
  const refused = await start(wallet, { externalId: "two" }, { key: owner.apiKey })
  expect(refused).toMatchObject({ status: 429, json: { error: "quota_exceeded" } })
  const [row] = await sql`select status, external_id from attestations where session_id = ${sessionId}`
  expect(row).toEqual({ status: "pending", external_id: "one" })
})

test("a session that nobody has begun, and that another name corrects, writes to nobody of the first", async () => {
  const owner = await app.key()
  await sql`update workspaces set reminders = true where id = ${owner.workspaceId}`
  const address = async (wallet: string) =>
    (await sql`select reminder_email from attestations where wallet = ${wallet}`)[0]!.reminder_email
  const [wallet, other] = [newWallet(), newWallet()]
  const sent = { key: owner.apiKey }
  await start(wallet, { externalId: "x1", email: "one@example.com" }, sent)
  await start(wallet, { redirectUrl: "https://example.com/" }, sent)
  expect(await address(wallet)).not.toBeNull()
  await start(wallet, { externalId: "x2" }, sent)
  expect(await address(wallet)).toBeNull()
  await start(wallet, { externalId: "x3", email: "three@example.com" }, sent)
  expect(await address(wallet)).not.toBeNull()
  // A first name changes nobody.
  await start(other, { email: "other@example.com" }, sent)
  await start(other, { externalId: "x4" }, sent)
  expect(await address(other)).not.toBeNull()
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
