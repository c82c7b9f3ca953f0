import { afterAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { addSeconds, clock, toTimestamp } from "#server/lib/time.ts"
import { sweep } from "#server/start/housekeeping.ts"
import { newWallet, waitFor } from "#test/fixtures/app.ts"
import { advanceClock } from "#test/fixtures/clock.ts"
import { grounds } from "#test/fixtures/grounds.ts"
import { answerOf, eventsOf, fund, read, release } from "#test/fixtures/holds.ts"
import { tokenFixture } from "#test/fixtures/tokens.ts"
import { app, key, tokens, usesCustomer } from "#test/fixtures/uses-app.ts"
import { differences } from "#test/matchers/credential.ts"

usesCustomer()
afterAll(async () => expect(await differences()).toEqual([]))

test("a hold keeps its part of the balance from moving, and releasing it makes it available again", async () => {
  const { config, wallet, held, transfer, burn, force, balance } = await fund()
  const id = await held("60")
  expect(await read(id)).toEqual({
    ...{ hold_id: id, user_pubkey: wallet, mint_config: config, amount: "60", remaining: "60", state: "active" },
    ...{ ...grounds, expires_at: null, onchain_account: null, operation_id: null },
    ...{ created_at: expect.any(String), ended_at: null },
  })
  expect(await balance()).toMatchObject({ amount: "100", available: "40", held: "60" })
  for (const move of [transfer, burn, force]) {
    const { status, json } = await move("41")
    expect([status, json.error]).toEqual([403, "amount_held"])
    expect(json.detail).toContain(id)
    expect(answerOf(await move("101"))).toBe("insufficient_balance")
  }
  expect(answerOf(await transfer("40"))).toBe("done")
  expect(answerOf(await transfer("1"))).toBe("amount_held")

  const released = await release(id)
  expect(released.json).toMatchObject({ hold_id: id, state: "released", remaining: "0", operation_id: null })
  expect(released.json.ended_at).not.toBeNull()
  expect(await balance()).toMatchObject({ amount: "60", available: "60", held: "0" })
  expect(answerOf(await transfer("60"))).toBe("done")
  expect(answerOf(await release(id))).toBe("hold_ended")
})

test("what is held, and where records of balances show it", async () => {
  const { config, wallet, held } = await fund()
  await held("60")
  const { json: balances } = await tokens.get(`/token/balances/${wallet}`)
  expect(balances.data).toMatchObject([{ mint_config: config, amount: "100", available: "40", held: "60" }])
  const { json: register } = await tokens.get(`/token/holders/${config}`)
  expect(register.data).toMatchObject([{ user_pubkey: wallet, balance: "100", available: "40", held: "60" }])
})

test.each([
  ["an unknown reason", { reason_code: "boredom" }, 422, "validation_failed", /^reason_code: /],
  ["no reference", { reference: "" }, 422, "validation_failed", /^reference: /],
  ["an expiry in the past", { expires_at: "2020-01-01T00:00:00Z" }, 422, "validation_failed", /^expires_at: /],
  ["an amount of zero", { amount: "0" }, 422, "invalid_amount", /^amount: /],
  ["a fraction of a whole token", { amount: "1.5" }, 422, "invalid_amount", /^amount: /],
  ["more than the balance", { amount: "101" }, 422, "insufficient_balance", /^amount: at most 100 /],
  ["more than is not held", { amount: "91" }, 403, "amount_held", /^amount: at most 90 .* hold_\w+ /],
  ["an unknown token", { mint_config: "no_such_fund" }, 422, "unknown_mint_config", /^mint_config: /],
  ["a wallet without tokens", { user_pubkey: newWallet() }, 422, "insufficient_balance", /^amount: /],
])("a hold with %s is refused, and nothing is held", async (_name, wrong, status, error, detail) => {
  const { held, place, balance, config } = await fund()
  await held("10")
  const answer = await place("20", wrong)
  expect(answer.status).toBe(status)
  expect(answer.json).toMatchObject({ error, detail: expect.stringMatching(detail) })
  expect(await balance()).toMatchObject({ held: "10" })
  expect((await tokens.get(`/token/holds?mint_config=${config}`)).json.data).toHaveLength(1)
})

test("all tokens of a frozen wallet can be held, also while the token is paused", async () => {
  const { config, wallet, place } = await fund()
  await tokens.post("/token/freeze", { user_pubkey: wallet, ...grounds })
  await tokens.post(`/mint-config/${config}/pause`, {})
  const whole = await place("100")
  expect(answerOf(whole)).toBe("done")
  await release(whole.json.hold_id)
  for (const amount of ["40", "60"]) expect(answerOf(await place(amount))).toBe("done")
})

test("an Idempotency-Key holds once and releases once", async () => {
  const { config, wallet, balance } = await fund()
  const body = { user_pubkey: wallet, mint_config: config, amount: "10", ...grounds }
  const once = (path: string, json: object, idempotencyKey: string) => tokens.post(path, json, { idempotencyKey })
  const placed = await Promise.all([1, 2, 3].map(() => once("/token/holds", body, "place")))
  const ids = new Set(placed.filter(({ status }) => status === 200).map(({ json }) => json.hold_id))
  expect(ids.size).toBe(1)
  expect((await once("/token/holds", body, "place")).json.hold_id).toBe([...ids][0])
  expect(await balance()).toMatchObject({ held: "10" })
  const path = `/token/hold/${[...ids][0]}/release`
  const released = [await once(path, {}, "release"), await once(path, {}, "release")]
  // Both first answers were lost.
  await sql`
    update idempotency_records set status = null, body = null where idempotency_key in ('place', 'release')`
  released.push(await once("/token/holds", body, "place"), await once(path, {}, "release"))
  expect(released.map(({ json }) => json.state)).toEqual(Array(4).fill("released"))
})

test("holds are listed newest first, by wallet, token and state", async () => {
  const { config, wallet, held } = await fund()
  const [first, second, third] = [await held("1"), await held("2"), await held("3")]
  await release(second)
  const list = async (query: string) => {
    const { json } = await tokens.get(`/token/holds?${query}`)
    return { ids: json.data.map((one: { hold_id: string }) => one.hold_id), next: json.next_cursor }
  }
  expect((await list(`pubkey=${wallet}`)).ids).toEqual([third, second, first])
  expect((await list(`mint_config=${config}&state=active`)).ids).toEqual([third, first])
  expect((await list(`mint_config=${config}&state=released`)).ids).toEqual([second])
  const page = await list(`mint_config=${config}&limit=2`)
  expect(page.ids).toEqual([third, second])
  expect(await list(`mint_config=${config}&limit=2&cursor=${page.next}`)).toEqual({ ids: [first], next: null })
  expect((await list(`pubkey=${newWallet()}`)).ids).toEqual([])
})

test("another workspace has no hold", async () => {
  const { config, held, burn } = await fund()
  const id = await held("10")
  const stranger = tokenFixture(app, await app.key())
  const theirs = await stranger.get(`/token/hold/${id}`)
  expect([theirs.status, theirs.json.error]).toEqual([404, "hold_not_found"])
  expect((await stranger.post(`/token/hold/${id}/release`, {})).json.error).toBe("hold_not_found")
  expect((await stranger.get(`/token/holds?mint_config=${config}`)).json.error).toBe("unknown_mint_config")
  expect((await stranger.get("/token/holds")).json.data).toEqual([])
  const theirConfig = await stranger.config()
  const [wallet] = await stranger.wallets(1)
  await stranger.mint(theirConfig, wallet, "100")
  const body = { user_pubkey: wallet, mint_config: theirConfig, amount: "5", ...grounds, holder_consent: true }
  expect((await stranger.post("/token/burn", { ...body, holds: [id] })).json.error).toBe("hold_not_found")
  expect(await read(id)).toMatchObject({ state: "active", remaining: "10" })
  expect(answerOf(await burn("5", { holds: [id] }))).toBe("done")
})

test("events and the audit log say what was held, and how it ended", async () => {
  const { config, wallet, held, burn } = await fund()
  const [released, executed] = [await held("10"), await held("20")]
  await release(released)
  const { json: burned } = await burn("20", { holds: [executed] })
  const data = { user_pubkey: wallet, mint_config: config, amount: "20", reason_code: "court_order" }
  await waitFor(async () => (await eventsOf(executed)).length === 2, "the event")
  expect(await eventsOf(executed)).toMatchObject([
    { type: "hold.created", data: { ...data, hold_id: executed, operation_id: null } },
    { type: "hold.executed", data: { ...data, hold_id: executed, operation_id: burned.operation_id } },
  ])
  expect((await eventsOf(released)).map(({ type }: { type: string }) => type)).toEqual([
    "hold.created",
    "hold.released",
  ])
  const entries = await sql`
    select action, actor, detail from audit_entries
    where workspace_id = ${key.workspaceId} and subject = ${released} order by seq`
  expect(entries.map((row) => ({ ...row }))).toEqual([
    {
      action: "hold.created",
      actor: "key",
      detail: { mint_config: config, wallet, amount: "10", ...grounds, expires_at: null },
    },
    { action: "hold.released", actor: "key", detail: { mint_config: config, wallet, amount: "10" } },
  ])
  const [requested] = await sql`
    select detail -> 'holds' as holds from audit_entries
    where subject = ${burned.operation_id} and action = 'token.burn_requested'`
  expect(requested!.holds).toEqual([executed])
})

test("a hold expires by the time of reading, and the sweep only moves it", async () => {
  const { wallet, held, burn, transfer, balance } = await fund()
  const expires_at = toTimestamp(addSeconds(clock.now(), 3600))
  const [id, forever] = [await held("60", { expires_at }), await held("10")]
  expect(await balance()).toMatchObject({ available: "30", held: "70" })
  await advanceClock({ seconds: 3601 })
  expect(await read(id)).toMatchObject({ state: "expired", remaining: "0", ended_at: expires_at })
  expect(await balance()).toMatchObject({ available: "90", held: "10" })
  const listed = async (state: string) => (await tokens.get(`/token/holds?pubkey=${wallet}&state=${state}`)).json.data
  const ids = async (state: string) => (await listed(state)).map((one: { hold_id: string }) => one.hold_id)
  expect([await ids("active"), await ids("expired")]).toEqual([[forever], [id]])
  expect(answerOf(await burn("1", { holds: [id] }))).toBe("hold_ended")
  expect(answerOf(await transfer("90"))).toBe("done")
  await waitFor(async () => (await eventsOf(id)).length === 2, "the event")
  expect(await eventsOf(id)).toMatchObject([{ type: "hold.created" }, { type: "hold.expired" }])
  await sweep()
  expect(await ids("expired")).toEqual([id])
})

test("the sweep ends holds that no request meets", async () => {
  const { held, config } = await fund()
  const id = await held("60", { expires_at: toTimestamp(addSeconds(clock.now(), 3600)) })
  await advanceClock({ seconds: 3601 })
  await sweep()
  const [row] =
    await sql`select held, (select state from holds where id = ${id}) from holdings where mint_config = ${config}`
  expect({ ...row }).toEqual({ held: "0", state: "expired" })
  await waitFor(async () => (await eventsOf(id)).length === 2, "the event")
})
