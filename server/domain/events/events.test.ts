import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { clock } from "#server/lib/time.ts"
import { newWallet, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { tokenFixture } from "#test/fixtures/tokens.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"
import { dropOldEvents } from "./drop.ts"
import { announceExpiring } from "./expiring.ts"
import { sequenceEvents } from "./sequence.ts"

usesApp()

type ReadEvent = { sequence: number; id: string; type: string; data: Record<string, unknown> }

const ask = (key: TestKey, query = "") => app.request({ method: "GET", path: `/events${query}`, key: key.apiKey })
const read = async (key: TestKey, query = "?limit=1000"): Promise<ReadEvent[]> => (await ask(key, query)).json.data
/** Waits until a workspace has this many events. */
const until = (key: TestKey, count: number) =>
  waitFor(async () => {
    const events = await read(key)
    return events.length >= count && events
  }, `${count} events`)
const typesOf = (events: ReadEvent[]) => events.map(({ type }) => type)

test("a verification is announced step by step, with its subject and nothing personal", async () => {
  const key = await app.key()
  const { wallet, sessionId, status } = await app.verifiedWallet(key, newWallet(), { country: "US" })
  const events = await until(key, 4)
  expect(typesOf(events)).toEqual([
    "session.opened",
    "attestation.pending",
    "session.submitted",
    "attestation.verified",
  ])
  expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4])
  expect(new Set(events.map(({ id }) => id)).size).toBe(4)
  const { json: record } = await app.request({
    method: "GET",
    path: `/attestation/${status.attestation_id}`,
    key: key.apiKey,
  })
  expect(events[3]!.data).toEqual({
    attestation_id: record.attestation_id,
    user_pubkey: wallet,
    schema: "kyc_individual_v1",
    investor_id: record.investor_id,
    issued_at: record.issued_at,
    expires_at: record.expires_at,
    revoked_at: null,
    onchain_tx: record.onchain_tx,
  })
  expect(JSON.stringify(events)).not.toContain(sessionId)

  const { status: answered } = await app.request({
    method: "POST",
    path: `/attestation/${record.attestation_id}/revoke`,
    key: key.apiKey,
    json: { reason: "private" },
  })
  expect(answered).toBe(200)
  const [rejected] = (await until(key, 5)).slice(4)
  expect(rejected).toMatchObject({ type: "attestation.rejected", data: { revoked_at: expect.any(String) } })
  expect(JSON.stringify(rejected)).not.toContain("private")
})

test("mints, transfers and pauses are announced with their amounts", async () => {
  const key = await app.key()
  const token = tokenFixture(app, key)
  const id = await token.config({}, { decimals: 2 })
  const [alice, bob] = await token.wallets(2)
  const before = (await until(key, 8)).length
  await token.mint(id, alice, "12.5")
  await token.transfer(id, alice, bob, "2.25")
  await token.post(`/mint-config/${id}/pause`, {})
  await token.post(`/mint-config/${id}/unpause`, {})
  const events = (await until(key, before + 4)).slice(before)
  expect(events).toMatchObject([
    {
      type: "operation.confirmed",
      data: {
        kind: "mint",
        mint_config: id,
        user_pubkey: alice,
        from_pubkey: null,
        amount: "12.5",
        error: null,
      },
    },
    {
      type: "operation.confirmed",
      data: { kind: "transfer", user_pubkey: bob, from_pubkey: alice, amount: "2.25" },
    },
    { type: "token.paused", data: { mint_config: id } },
    { type: "token.resumed", data: { mint_config: id } },
  ])
})

test("reviews, refusals and cancelled sessions are announced", async () => {
  const key = await app.key()
  const { sessionId } = await app.startSession(key)
  await app.webhook({ session_id: sessionId, decision: "in_review" })
  await app.webhook({ session_id: sessionId, decision: "rejected", reason: "private" })
  const events = await until(key, 6)
  expect(typesOf(events).slice(2).sort()).toEqual([
    "attestation.rejected",
    "review.decided",
    "review.opened",
    "session.submitted",
  ])
  expect(events.find(({ type }) => type === "review.decided")!.data).toMatchObject({
    kind: "vendor",
    ending: "vendor",
    decision: null,
  })
  const second = await app.startSession(key)
  await app.request({
    method: "POST",
    path: `/kyc/session/${second.sessionId}/cancel`,
    key: key.apiKey,
    json: {},
  })
  expect(typesOf(await until(key, 9)).slice(6)).toEqual([
    "session.opened",
    "attestation.pending",
    "attestation.rejected",
  ])
})

test("a quota is announced once at 80 % and once when it is used up", async () => {
  const key = await app.key({ mode: "live", plan: "enterprise", quota: 5 })
  await sql`update accounts set included = 5 where id = (select account_id from workspaces where id = ${key.workspaceId})`
  const sessions: string[] = []
  for (let i = 0; i < 5; i++) {
    sessions.push((await app.startSession(key)).sessionId)
    await until(key, 2 * (i + 1) + (i >= 3 ? 1 : 0) + (i === 4 ? 1 : 0))
  }
  await app.request({ method: "POST", path: `/kyc/session/${sessions[0]}/cancel`, key: key.apiKey, json: {} })
  await app.startSession(key)
  const events = await until(key, 15)
  expect(events.filter(({ type }) => type === "quota.threshold")).toMatchObject([
    { data: { percent: 80, used: 4, included: 5 } },
    { data: { percent: 100, used: 5, included: 5 } },
  ])
})

test("an attestation is announced 30, 7 and 1 days before its end, once each, and only the latest if several pass together", async () => {
  const key = await app.key()
  const { status } = await app.verifiedWallet(key)
  await until(key, 4)
  // Verified long ago, so earlier thresholds must not be announced.
  const age = (id: string) => sql`update attestations set issued_at = issued_at - interval '364 days' where id = ${id}`
  await age(status.attestation_id)
  const daysLeft = async (days: number) => {
    const at = new Date(clock.now().getTime() + days * 86_400_000)
    await sql`update attestations set expires_at = ${at} where id = ${status.attestation_id}`
    await announceExpiring()
    await announceExpiring()
    await sequenceEvents()
  }
  for (const days of [31, 29, 5, 4]) await daysLeft(days)
  // The server may have announced it itself, a moment before.
  const events = (await until(key, 6)).slice(4)
  expect(events).toMatchObject([
    { type: "attestation.expiring", data: { days: 30 } },
    { type: "attestation.expiring", data: { days: 7 } },
  ])
  const other = await app.verifiedWallet(key)
  await until(key, 10)
  await age(other.status.attestation_id)
  const soon = new Date(clock.now().getTime() + 3_600_000)
  await sql`update attestations set expires_at = ${soon} where id = ${other.status.attestation_id}`
  await announceExpiring()
  await sequenceEvents()
  expect((await until(key, 11)).slice(10)).toMatchObject([{ data: { days: 1 } }])
})

test("under any concurrency, the sequence has no gap, and each subject's events are in order", async () => {
  const keys = await Promise.all([app.key(), app.key()])
  const walk = async (key: TestKey) => {
    const { wallet, sessionId } = await app.startSession(key)
    await app.webhook({ session_id: sessionId, decision: "in_review" })
    await Promise.all([
      app.webhook({ session_id: sessionId, decision: "approved", claims: { country: "US" } }),
      sequenceEvents(),
    ])
    await app.waitForStatus(key, wallet, "verified")
  }
  await Promise.all(Array.from({ length: 40 }, (_, i) => walk(keys[i % 2]!)))
  for (const key of keys) {
    const events = await until(key, 20 * 6)
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, i) => i + 1))
    const bySubject = Map.groupBy(events, ({ data }) => data.attestation_id)
    expect(bySubject.size).toBe(20)
    for (const one of bySubject.values()) {
      expect(typesOf(one).filter((type) => !type.startsWith("review."))).toEqual([
        "session.opened",
        "attestation.pending",
        "session.submitted",
        "attestation.verified",
      ])
      expect(typesOf(one).filter((type) => type.startsWith("review."))).toEqual(["review.opened", "review.decided"])
    }
  }
})

test("a rolled-back change is not announced, and one that commits late comes later", async () => {
  const key = await app.key()
  const token = tokenFixture(app, key)
  const id = await token.config()
  const pause = (paused: boolean) => sql`
    update mint_configs set paused = ${paused} where workspace_id = ${key.workspaceId} and id = ${id}`
  await sql
    .begin(async (sql) => {
      await sql`update mint_configs set paused = true where workspace_id = ${key.workspaceId} and id = ${id}`
      await sequenceEvents()
      throw new Error("undone")
    })
    .catch(() => {})
  await sequenceEvents()
  expect(await read(key)).toEqual([])
  const { sessionId } = await sql.begin(async (sql) => {
    await sql`update mint_configs set paused = true where workspace_id = ${key.workspaceId} and id = ${id}`
    // Staged later but committed earlier.
    const session = await app.startSession(key)
    await sequenceEvents()
    return session
  })
  expect(sessionId).toMatch(/^sess_/)
  await pause(false)
  await sequenceEvents()
  const events = await until(key, 4)
  expect(typesOf(events)).toEqual(["session.opened", "attestation.pending", "token.paused", "token.resumed"])
})

test("events can be read after a sequence number, by type, and page by page", async () => {
  const key = await app.key()
  for (let i = 0; i < 3; i++) await app.startSession(key)
  const all = await until(key, 6)
  expect(await read(key, "?after=4")).toEqual(all.slice(4))
  expect(await read(key, "?limit=2&after=1")).toEqual(all.slice(1, 3))
  expect(typesOf(await read(key, "?type=attestation.pending"))).toEqual(Array(3).fill("attestation.pending"))
  const at = (sequence: number) => (all[sequence - 1] as unknown as { cursor: string }).cursor
  expect((await ask(key, "?after=6")).json).toEqual({ data: [], last_sequence: 6, last_cursor: at(6) })
  expect(await read(key, "?cursor=0")).toEqual(all)
  expect(await read(key, `?cursor=${at(4)}`)).toEqual(all.slice(4))
  expect(await ask(key, "?after=7")).toMatchObject({
    status: 422,
    json: { error: "validation_failed", detail: expect.stringMatching(/^after: .*last event is 6/) },
  })
  for (const query of [
    "?after=-1",
    "?after=x",
    "?limit=1001",
    "?type=nothing",
    "?cursor=x",
    "?cursor=1&after=1",
    "?cursor=0&after=0",
  ]) {
    expect(await ask(key, query), query).toMatchObject({ status: 422, json: { error: "validation_failed" } })
  }
  const blind = await app.key({ scopes: ["kyc:read"] })
  expect(await ask(blind)).toMatchObject({ status: 403 })
  expect((await ask(await app.key())).json).toEqual({
    data: [],
    last_sequence: 0,
    last_cursor: "0",
  })
})

test("a cursor survives a restart of the database that lost nothing, and a cursor of a lost event gets the place to continue from", async () => {
  const key = await app.key()
  await app.startSession(key)
  const [first, second] = await until(key, 2)
  await sql`update event_generations set run = 'an earlier run'`
  await app.startSession(key)
  const all = await until(key, 4)
  const cursors = all.map((one) => (one as unknown as { cursor: string }).cursor)
  const [old, now] = [cursors[1]!.split("-")[1], cursors[2]!.split("-")[1]]
  expect(old).not.toBe(now)
  expect(all.slice(0, 2)).toEqual([first, second])
  expect(await read(key, `?cursor=${cursors[1]}`)).toEqual(all.slice(2))
  for (const [lost, resume] of [
    [`3-${old}`, cursors[1]],
    [`4-${old}`, cursors[1]],
    [`9-${old}`, cursors[1]],
    [`5-${now}`, cursors[3]],
    ["2-ffffffffffff", "0"],
    ["2-first", "0"],
  ]) {
    expect(await ask(key, `?cursor=${lost}`), lost).toMatchObject({
      status: 410,
      headers: { "resume-cursor": resume },
      json: { error: "events_rewound", detail: expect.stringContaining(`cursor=${resume}`) },
    })
  }
  expect(await read(key, "?cursor=0")).toEqual(all)
})

test("an event's id is derived from its subject; a second event of the same subject has another id", async () => {
  const key = await app.key()
  await app.startSession(key)
  const events = await until(key, 2)
  const stage = () => sql`
    insert into staged_events (workspace_id, type, data, occurred_at)
    values (${key.workspaceId}, 'session.opened', ${sql.json(events[0]!.data as never)}, clock_timestamp())`
  await stage()
  await stage()
  const again = await until(key, 6)
  expect(new Set(again.map(({ id }) => id)).size).toBe(6)
  await sql`delete from events where workspace_id = ${key.workspaceId}`
  await stage()
  const redone = (await until(key, 2)).map(({ id }) => id)
  expect(redone).toEqual(events.map(({ id }) => id))
})

test("events are dropped after 90 days, and a reader who missed them gets an error", async () => {
  const key = await app.key()
  await app.startSession(key)
  await app.startSession(key)
  await until(key, 4)
  await sql`update events set occurred_at = occurred_at - interval '91 days' where workspace_id = ${key.workspaceId} and sequence <= 2`
  await dropOldEvents(clock.now())
  expect((await read(key, "")).map(({ sequence }) => sequence)).toEqual([3, 4])
  expect((await read(key, "?after=2")).map(({ sequence }) => sequence)).toEqual([3, 4])
  expect(await ask(key, "?after=1")).toMatchObject({
    status: 410,
    json: { error: "events_expired", detail: expect.stringContaining("after=2") },
  })
})
