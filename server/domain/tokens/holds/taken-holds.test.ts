import { afterAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { addSeconds, clock } from "#server/lib/time.ts"
import { newWallet, waitFor } from "#test/fixtures/app.ts"
import { document_sha256, grounds } from "#test/fixtures/grounds.ts"
import { answerOf, fund, read, release } from "#test/fixtures/holds.ts"
import type { Response } from "#test/fixtures/http.ts"
import { whileLedgerPaused } from "#test/fixtures/ledger-pause.ts"
import { tokens, usesCustomer } from "#test/fixtures/uses-app.ts"
import { differences } from "#test/matchers/credential.ts"

usesCustomer()
afterAll(async () => expect(await differences()).toEqual([]))

test("a burn and a forced transfer take from the holds that they name, in order, then from what is available", async () => {
  const { held, burn, force, balance } = await fund()
  const [first, second, third] = [await held("20"), await held("30"), await held("40")]
  // Named: 20 and 30; available: 10.
  expect(answerOf(await burn("61", { holds: [second, first] }))).toBe("amount_held")
  // The third is named, too, but nothing is left to take from it.
  const burned = await burn("35", { holds: [second, first, third] })
  expect(burned.json).toMatchObject({ status: "confirmed", hold_id: null })
  const { operation_id } = burned.json
  expect(await read(second)).toMatchObject({ state: "executed", remaining: "0", operation_id })
  expect(await read(first)).toMatchObject({ state: "active", amount: "20", remaining: "15", operation_id })
  expect(await balance()).toMatchObject({ amount: "65", available: "10", held: "55" })
  expect(answerOf(await force("25", { holds: [first] }))).toBe("done")
  expect(await read(first)).toMatchObject({ state: "executed", remaining: "0" })
  expect(await balance()).toMatchObject({ amount: "40", available: "0", held: "40" })
  expect(await read(third)).toMatchObject({ state: "active", remaining: "40", operation_id: null })
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
  const ended = await held("10")
  await release(ended)
  for (const move of [burn, force]) expect(answerOf(await move("5", { holds: [ended] }))).toBe("hold_ended")
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

test("operations that land together take the sum of their parts", async () => {
  const { config, held, burn } = await fund()
  const id = await held("50")
  const moves = await whileLedgerPaused(async () => {
    const sent = [burn("20", { holds: [id] }), burn("30", { holds: [id] })]
    await waitFor(async () => (await tokens.trace(config)).operations.length === 3, "the operations")
    return sent
  })
  expect((await Promise.all(moves)).map(answerOf)).toEqual(["done", "done"])
  expect(await read(id)).toMatchObject({ state: "executed", remaining: "0" })
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
  // The first answer was lost.
  await sql`update idempotency_records set status = null, body = null where idempotency_key = 'execute'`
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
