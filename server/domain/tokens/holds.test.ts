import { afterAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { addSeconds, clock, toTimestamp } from "#server/lib/time.ts"
import { sweep } from "#server/start/housekeeping.ts"
import { newWallet, waitFor } from "#test/fixtures/app.ts"
import { advanceClock } from "#test/fixtures/clock.ts"
import type { Response } from "#test/fixtures/http.ts"
import { whileLedgerPaused } from "#test/fixtures/ledger-pause.ts"
import { tokenFixture } from "#test/fixtures/tokens.ts"
import { app, key, tokens, usesCustomer } from "#test/fixtures/uses-app.ts"
import { differences } from "#test/matchers/credential.ts"

usesCustomer()
afterAll(async () => expect(await differences()).toEqual([]))

const grounds = { reason_code: "court_order", reference: "2026-CV-0417" }
const document_sha256 = "n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg"

/** A token, a wallet with 100 of it, and another verified wallet. */
async function fund(more: object = {}) {
  const config = await tokens.config({}, more)
  const [wallet, other] = await tokens.wallets(2)
  expect((await tokens.mint(config, wallet, "100")).status).toBe(200)
  const body = (amount: string) => ({ user_pubkey: wallet, mint_config: config, amount, ...grounds })
  return {
    config,
    wallet,
    other,
    place: (amount: string, fields: object = {}) => tokens.post("/token/holds", { ...body(amount), ...fields }),
    held: async (amount: string, fields: object = {}): Promise<string> => {
      const answer = await tokens.post("/token/holds", { ...body(amount), ...fields })
      expect(answer.status, answer.text).toBe(200)
      return answer.json.hold_id
    },
    burn: (amount: string, fields: object = {}) =>
      tokens.post("/token/burn", { ...body(amount), holder_consent: true, ...fields }),
    force: (amount: string, fields: object = {}) =>
      tokens.post("/token/force-transfer", {
        ...{ from_pubkey: wallet, to_pubkey: other, mint_config: config, amount, ...grounds, document_sha256 },
        ...fields,
      }),
    transfer: (amount: string) => tokens.transfer(config, wallet, other, amount),
    balance: async () => (await tokens.get(`/token/balance/${wallet}?mint_config=${config}`)).json,
  }
}

const answerOf = ({ status, json }: Response) => (status === 200 ? "done" : json.error)
const read = async (id: string) => (await tokens.get(`/token/hold/${id}`)).json
const release = (id: string) => tokens.post(`/token/hold/${id}/release`, {})
const eventsOf = async (id: string) => {
  const rows = await sql`
    select type, data from events where workspace_id = ${key.workspaceId} and data ->> 'hold_id' = ${id} order by sequence`
  return rows.map(({ type, data }) => ({ type, data }))
}

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

test("a burn and a forced transfer take from the holds that they name, in order, then from what is available", async () => {
  const { held, burn, force, balance } = await fund()
  const [first, second, third] = [await held("20"), await held("30"), await held("40")]
  // Named: 20 and 30; available: 10.
  expect(answerOf(await burn("61", { holds: [second, first] }))).toBe("amount_held")
  const burned = await burn("35", { holds: [second, first] })
  expect(burned.json).toMatchObject({ status: "confirmed", hold_id: null })
  const { operation_id } = burned.json
  expect(await read(second)).toMatchObject({ state: "executed", remaining: "0", operation_id })
  expect(await read(first)).toMatchObject({ state: "active", amount: "20", remaining: "15", operation_id })
  expect(await balance()).toMatchObject({ amount: "65", available: "10", held: "55" })
  expect(answerOf(await force("25", { holds: [first] }))).toBe("done")
  expect(await read(first)).toMatchObject({ state: "executed", remaining: "0" })
  expect(await balance()).toMatchObject({ amount: "40", available: "0", held: "40" })
  expect(await read(third)).toMatchObject({ state: "active", remaining: "40" })
  expect(answerOf(await burn("1", { holds: [first] }))).toBe("hold_ended")
})

test("a request can only name active holds of its wallet and token", async () => {
  const { config, held, burn, force } = await fund()
  const elsewhere = await fund()
  const [id, foreign] = [await held("10"), await elsewhere.held("10")]
  for (const holds of [[foreign], ["hold_2wjz1P6tAYqDxQmnouqrAU"], ["no id"], [id, foreign]]) {
    for (const move of [burn, force]) {
      const { status, json } = await move("5", { holds })
      expect([status, json.error]).toEqual([404, "hold_not_found"])
      expect(json.detail).toMatch(/^holds: /)
    }
  }
  expect((await burn("5", { holds: [id, id] })).json.error).toBe("validation_failed")
  expect((await burn("5", { holds: [] })).json.error).toBe("validation_failed")
  const { operations } = await tokens.trace(config)
  expect(operations).toHaveLength(1)
})

test("an operation that fails gives holds back what it took, and the rest if they have ended since", async () => {
  const { config, other, held, force, balance } = await fund()
  const [kept, gone] = [await held("20"), await held("30")]
  let moving: Promise<Response>
  await whileLedgerPaused(async () => {
    moving = force("45", { holds: [kept, gone] })
    await waitFor(async () => (await tokens.trace(config)).operations.length === 2, "the operation")
    expect(await read(kept)).toMatchObject({ state: "active", remaining: "0" })
    expect(await read(gone)).toMatchObject({ state: "active", remaining: "5" })
    expect(await balance()).toMatchObject({ available: "50", held: "5" })
    expect(answerOf(await release(kept))).toBe("hold_ended")
    expect((await release(gone)).json.state).toBe("released")
    // The receiver may no longer get anything, so the operation fails before it is signed.
    await tokens.post("/token/freeze", { user_pubkey: other, ...grounds })
  })
  expect(answerOf(await moving!)).toBe("wallet_frozen")
  expect(await read(kept)).toMatchObject({ state: "active", remaining: "20" })
  expect(await read(gone)).toMatchObject({ state: "released", remaining: "0" })
  expect(await balance()).toMatchObject({ amount: "100", available: "80", held: "20" })
})

test("of two operations that take one hold, the one that fails gives its part back", async () => {
  const { config, other, held, burn, force } = await fund()
  const id = await held("50")
  let moves: Promise<Response[]>
  await whileLedgerPaused(async () => {
    moves = Promise.all([burn("20", { holds: [id] }), force("30", { holds: [id] })])
    await waitFor(async () => (await tokens.trace(config)).operations.length === 3, "the operations")
    await tokens.post("/token/freeze", { user_pubkey: other, ...grounds })
  })
  expect((await moves!).map(answerOf)).toEqual(["done", "wallet_frozen"])
  expect(await read(id)).toMatchObject({ state: "active", remaining: "30" })
})

test("a hold is not executed while another operation that takes from it may still fail", async () => {
  const { config, other, held, burn, force } = await fund()
  const id = await held("50")
  const set = (time: Date | null) => sql`
    update operations set not_before = ${time} where mint_config = ${config} and kind = 'force_transfer'`
  let moves: Promise<Response>[]
  await whileLedgerPaused(async () => {
    moves = [burn("20", { holds: [id] }), force("30", { holds: [id] })]
    await waitFor(async () => (await tokens.trace(config)).operations.length === 3, "the operations")
    await set(addSeconds(clock.now(), 3600))
  })
  expect(answerOf(await moves![0]!)).toBe("done")
  expect(await read(id)).toMatchObject({ state: "active", remaining: "0" })
  await tokens.post("/token/freeze", { user_pubkey: other, ...grounds })
  await set(null)
  expect(answerOf(await moves![1]!)).toBe("wallet_frozen")
  expect(await read(id)).toMatchObject({ state: "active", remaining: "30" })
})

test("executing a hold forces a transfer of all that it holds, with its reason, even out of a revoked wallet", async () => {
  const { config, wallet, other, held, burn, balance } = await fund()
  const [id, more] = [await held("60"), await held("10")]
  await burn("20", { holds: [id] })
  await tokens.post("/token/freeze", { user_pubkey: wallet, ...grounds })
  const execute = (json: object, options: object = {}) => tokens.post(`/token/hold/${id}/execute`, json, options)
  const body = { to_pubkey: other, document_sha256 }
  expect(answerOf(await execute({ to_pubkey: other }))).toBe("validation_failed")
  expect(answerOf(await execute({ ...body, to_pubkey: wallet }))).toBe("same_wallet")
  expect(answerOf(await execute({ ...body, to_pubkey: newWallet() }))).toBe("wallet_not_verified")
  expect(await read(id)).toMatchObject({ state: "active", remaining: "40" })

  const done = await execute(body, { idempotencyKey: "execute" })
  expect(done.json).toMatchObject({ hold_id: id, state: "executed", status: "confirmed", remaining: "0" })
  const { json: operation } = await tokens.get(`/token/operation/${done.json.operation_id}`)
  const between = { from_pubkey: wallet, to_pubkey: other, amount: "40" }
  expect(operation).toMatchObject({ kind: "force_transfer", hold_id: id, ...between, ...grounds, document_sha256 })
  expect((await execute(body, { idempotencyKey: "execute" })).json).toEqual(done.json)
  expect(answerOf(await execute(body))).toBe("hold_ended")
  expect(await tokens.onChain(config, other)).toBe(40n)
  expect(await balance()).toMatchObject({ amount: "40", available: "30", held: "10" })
  expect(await read(more)).toMatchObject({ state: "active", remaining: "10" })
})

test("an execution answers 202 while the chain has not confirmed it, and leads to its operation", async () => {
  const { other, held } = await fund()
  const id = await held("60")
  const headers = { prefer: "respond-async" }
  const {
    status,
    json,
    headers: sent,
  } = await tokens.post(`/token/hold/${id}/execute`, { to_pubkey: other, document_sha256 }, { headers })
  expect([status, sent.location]).toEqual([202, `/v1/token/operation/${json.operation_id}`])
  await waitFor(async () => (await read(id)).state === "executed", "the execution")
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

test("tokens of a frozen wallet can be held, also while the token is paused", async () => {
  const { config, wallet, place } = await fund()
  await tokens.post("/token/freeze", { user_pubkey: wallet, ...grounds })
  await tokens.post(`/mint-config/${config}/pause`, {})
  expect(answerOf(await place("10"))).toBe("done")
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
  expect(released.map(({ json }) => json.state)).toEqual(["released", "released"])
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

test("200 executions, burns and releases of one hold take it once", async () => {
  const { config, other, wallet, held, burn } = await fund()
  const id = await held("30")
  const acts = [
    () => tokens.post(`/token/hold/${id}/execute`, { to_pubkey: other, document_sha256 }),
    () => burn("30", { holds: [id] }),
    () => release(id),
  ]
  const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => acts[i % acts.length]!()))
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0)
  const executed = answers.filter(({ status, json }) => status === 200 && json.state === "executed")
  const released = answers.filter(({ status, json }) => status === 200 && json.state === "released")
  expect(executed.length + released.length).toBeLessThanOrEqual(1)
  const [row] =
    await sql`select balance, outgoing, held from holdings where mint_config = ${config} and wallet = ${wallet}`
  expect(await tokens.onChain(config, wallet)).toBe(BigInt(row!.balance))
  expect([row!.outgoing, row!.held]).toEqual(["0", "0"])
  expect(await differences()).toEqual([])
})

test("200 burns, transfers and holds at once of a balance of 100 take and hold 100 at most", async () => {
  const { config, wallet, held, place, burn, transfer } = await fund()
  const named = await held("10")
  const acts = [
    () => burn("3"),
    () => burn("2", { holds: [named] }),
    () => transfer("2"),
    () => place("4"),
    async () => {
      const { status, json } = await place("1")
      return status === 200 ? release(json.hold_id) : place("1")
    },
  ]
  const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => acts[i % acts.length]!()))
  const allowed = ["done", "insufficient_balance", "amount_held", "hold_ended"]
  expect(allowed).toEqual(expect.arrayContaining([...new Set(answers.map(answerOf))]))
  const moved = answers.filter(({ status, json }) => status === 200 && json.operation_id && !json.hold_id)
  const sum = (all: Response[]) => all.reduce((total, { json }) => total + Number(json.amount), 0)
  const { data } = (await tokens.get(`/token/holds?mint_config=${config}&state=active&limit=100`)).json
  const bound = data.reduce((total: number, { remaining }: { remaining: string }) => total + Number(remaining), 0)
  expect(sum(moved) + bound).toBeLessThanOrEqual(100)
  expect(await tokens.onChain(config, wallet)).toBe(BigInt(100 - sum(moved)))
  const [row] =
    await sql`select balance, outgoing, held from holdings where mint_config = ${config} and wallet = ${wallet}`
  expect({ ...row }).toEqual({ balance: String(100 - sum(moved)), outgoing: "0", held: String(bound) })
  expect(await differences()).toEqual([])
})
