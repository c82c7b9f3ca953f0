import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { newId } from "#server/lib/ids.ts"
import { newWallet } from "#test/fixtures/app.ts"
import type { Sent } from "#test/fixtures/http.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"

usesCustomer({ environment: { VOUCH_ROLE: "web" } })

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
  // biome-ignore lint/suspicious/noExplicitAny: answers have any shape
  return { status: response.status, json: (await response.json()) as any }
}

async function used(): Promise<number> {
  const { json } = await app.request({ method: "GET", path: "/usage", key: key.apiKey })
  return json.used
}

test("a second start updates the open session with the fields it sends, keeps the others, and uses no quota", async () => {
  const wallet = newWallet()
  const first = await start(wallet, { redirectUrl: "https://example.com/1" })
  const before = await used()
  const steps: [More, { external_id: string | null; redirect_url: string | null }][] = [
    [{ externalId: "one" }, { external_id: "one", redirect_url: "https://example.com/1" }],
    [{ redirectUrl: "https://example.com/2" }, { external_id: "one", redirect_url: "https://example.com/2" }],
    [{}, { external_id: "one", redirect_url: "https://example.com/2" }],
    [
      { externalId: "one", redirectUrl: "https://example.com/3" },
      { external_id: "one", redirect_url: "https://example.com/3" },
    ],
  ]
  for (const [sent, row] of steps) {
    const again = await start(wallet, sent)
    expect(again).toMatchObject({ status: 200, json: first.json })
    expect(await sessionsOf(wallet)).toEqual([row])
  }
  expect(await used()).toBe(before)
})

test("a session started without these fields takes them from a later start", async () => {
  const wallet = newWallet()
  await start(wallet)
  await start(wallet, { externalId: "late", redirectUrl: "https://example.com/late" })
  expect(await sessionsOf(wallet)).toEqual([{ external_id: "late", redirect_url: "https://example.com/late" }])
})

test("a replay changes nothing: the fields of a later request stay", async () => {
  const wallet = newWallet()
  const [name, later] = [newId("evt"), newId("evt")]
  const [one, two, three] = [1, 2, 3].map((n) => ({ redirectUrl: `https://example.com/${n}` }))
  const first = await start(wallet, one, { idempotencyKey: name })
  const second = await start(wallet, two, { idempotencyKey: later })
  expect(second.text).toBe(first.text)
  const isSecond = async () => expect(await sessionsOf(wallet)).toMatchObject([{ redirect_url: two!.redirectUrl }])
  await isSecond()
  const replay = await start(wallet, one, { idempotencyKey: name })
  expect(replay.headers["idempotent-replayed"]).toBe("true")
  await isSecond()
  const other = await start(wallet, three, { idempotencyKey: later })
  expect(other).toMatchObject({ status: 422, json: { error: "idempotency_key_reused" } })
  await isSecond()
})

test("an invalid request changes nothing, and an ended session stays unchanged", async () => {
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

test("another external id begins its own session, and the first person's continues", async () => {
  const wallet = newWallet()
  const name = newId("evt")
  const first = await start(wallet, { externalId: "one" }, { idempotencyKey: name })
  const before = await used()
  const { json } = await submit(first.json.session_id)
  expect(json.result.data.state).toBe("checking")
  for (const same of [{}, { externalId: "one" }, { redirectUrl: "https://example.com/2" }])
    expect((await start(wallet, same)).text).toBe(first.text)
  const second = await start(wallet, { externalId: "two" })
  expect(second.json.session_id).not.toBe(first.json.session_id)
  expect(await used()).toBe(before + 1)

  const approved = await app.webhook({ session_id: first.json.session_id, decision: "approved" })
  expect(approved.json).toEqual({ received: true, outcome: "applied" })
  expect(await stateOf(first.json.session_id)).toBe("approved")
  expect(await stateOf(second.json.session_id)).toBe("open")
  const replay = await start(wallet, { externalId: "one" }, { idempotencyKey: name })
  expect(replay.text).toBe(first.text)
})

test("if no other session can begin, the open one continues", async () => {
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

test("an address for reminders stays with the person who gave it", async () => {
  const owner = await app.key()
  await sql`update workspaces set reminders = true where id = ${owner.workspaceId}`
  const reminded = async (wallet: string) =>
    (
      await sql`
        select external_id, reminder_email is not null as is_reminded from attestations
        where wallet = ${wallet} order by seq`
    ).map((row) => [row.external_id, row.is_reminded])
  const [wallet, other] = [newWallet(), newWallet()]
  const sent = { key: owner.apiKey }
  await start(wallet, { externalId: "x1", email: "one@example.com" }, sent)
  await start(wallet, { redirectUrl: "https://example.com/" }, sent)
  await start(wallet, { externalId: "x2" }, sent)
  expect(await reminded(wallet)).toEqual([
    ["x1", true],
    ["x2", false],
  ])
  // The first external id does not change the person.
  await start(other, { email: "other@example.com" }, sent)
  await start(other, { externalId: "x4" }, sent)
  expect(await reminded(other)).toEqual([["x4", true]])
})

test("50 simultaneous starts of one wallet for 50 people: each gets one session and uses one unit", async () => {
  const wallet = newWallet()
  const before = await used()
  const names = Array.from({ length: 100 }, (_, i) => `name-${i % 50}`)
  const answers = await Promise.all(
    names.map((externalId, i) => start(wallet, { externalId }, i % 2 ? { idempotencyKey: `${i}` } : {})),
  )
  expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200))
  const ids = answers.map(({ json }) => json.session_id)
  expect(ids.slice(50)).toEqual(ids.slice(0, 50))
  const rows = await sessionsOf(wallet)
  expect(rows.map((row) => row.external_id).sort()).toEqual(names.slice(0, 50).sort())
  expect(await used()).toBe(before + 50)
})
