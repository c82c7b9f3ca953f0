import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { newWallet, waitFor } from "#test/fixtures/app.ts"
import type { Response } from "#test/fixtures/http.ts"
import { newKey } from "#test/fixtures/idempotency.ts"
import { whileLedgerPaused } from "#test/fixtures/ledger-pause.ts"
import { fund } from "#test/fixtures/tokens.ts"
import { app, key, tokens, usesCustomer } from "#test/fixtures/uses-app.ts"
import { expectReplay } from "#test/matchers/answers.ts"
import { differences } from "#test/matchers/credential.ts"
import { snapshot } from "#test/matchers/snapshot.ts"

let config: string
let alice: string
let bob: string

usesCustomer({ key: { mode: "live", plan: "enterprise" } })
beforeAll(async () => {
  config = await tokens.config({}, { decimals: 1 })
  ;[alice, bob] = await tokens.wallets(2)
  await tokens.mint(config, alice, 1_000_000)
})
afterAll(async () => expect(await differences()).toEqual([]))

type Endpoint = { path: string; body: () => object; other: () => object }

let made = 0
/** Requests that take a key, each with a different request that must not use the same key. */
const endpoints: Record<string, () => Endpoint> = {
  mint: () => {
    const body = { user_pubkey: alice, mint_config: config, amount: "2.5" }
    return { path: "/token/mint", body: () => body, other: () => ({ ...body, amount: "2.6" }) }
  },
  transfer: () => {
    const body = { from_pubkey: alice, to_pubkey: bob, mint_config: config, amount: "1.5" }
    return { path: "/token/transfer", body: () => body, other: () => ({ ...body, amount: "1.6" }) }
  },
  "creating a configuration": () => {
    const body = fund(`once_${++made}`)
    return { path: "/mint-configs", body: () => body, other: () => ({ ...body, name: "Other" }) }
  },
  pause: () => ({ path: `/mint-config/${config}/pause`, body: () => ({}), other: () => ({ extra: 1 }) }),
  unpause: () => ({ path: `/mint-config/${config}/unpause`, body: () => ({}), other: () => ({ extra: 1 }) }),
}

/** Waits until nothing is in progress, so that only a request can change anything afterwards. */
const rest = () =>
  waitFor(async () => {
    const unfinished = await sql`select from operations where status in ('queued', 'submitted')`
    return unfinished.length === 0
  }, "the ledger to have nothing left to do")

/** The number of operations of any kind. */
const operations = async (): Promise<number> => {
  const [row] = await sql<{ count: number }[]>`select count(*)::int as count from operations`
  return row!.count
}

describe.each(Object.keys(endpoints))("%s", (name) => {
  test("a replay is byte for byte the first response, and changes nothing", async () => {
    const { path, body } = endpoints[name]!()
    const idempotencyKey = newKey()
    const first = await tokens.post(path, body(), { idempotencyKey })
    expect(first.status).toBe(200)
    await rest()
    const before = await snapshot()
    expectReplay(await tokens.post(path, body(), { idempotencyKey }), first)
    expect(await snapshot()).toEqual(before)
    await tokens.post(`/mint-config/${config}/unpause`, {})
  })

  test("the same key with another body is refused, and the first response stays", async () => {
    const { path, body, other } = endpoints[name]!()
    const idempotencyKey = newKey()
    const first = await tokens.post(path, body(), { idempotencyKey })
    const refused = await tokens.post(path, other(), { idempotencyKey })
    expect([refused.status, refused.json.error]).toEqual([422, "idempotency_key_reused"])
    expect(refused.headers["idempotent-replayed"]).toBeUndefined()
    expectReplay(await tokens.post(path, body(), { idempotencyKey }), first)
    await tokens.post(`/mint-config/${config}/unpause`, {})
  })

  test("100 simultaneous requests with one key have their effect once", async () => {
    const { path, body } = endpoints[name]!()
    const idempotencyKey = newKey()
    await rest()
    const before = await operations()
    const answers = await Promise.all(Array.from({ length: 100 }, () => tokens.post(path, body(), { idempotencyKey })))
    expect(answers.map(({ status }) => status)).toEqual(Array(100).fill(200))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    const replayed = answers.filter(({ headers }) => headers["idempotent-replayed"] === "true")
    expect(replayed).toHaveLength(99)
    const isOnLedger = path.startsWith("/token/") || path === "/mint-configs"
    expect((await operations()) - before).toBe(isOnLedger ? 1 : 0)
    await tokens.post(`/mint-config/${config}/unpause`, {})
  })
})

describe.each([
  ["mint", "/token/mint"],
  ["transfer", "/token/transfer"],
] as const)("%s", (name, path) => {
  test("two keys are two operations", async () => {
    const { body } = endpoints[name]!()
    const answers = await Promise.all(
      ["one", "two"].map((suffix) => tokens.post(path, body(), { idempotencyKey: `${newKey()}-${suffix}` })),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(new Set(answers.map(({ json }) => json.operation_id)).size).toBe(2)
  })

  test("a 202 is replayed like any response, even once the operation is confirmed", async () => {
    const { body } = endpoints[name]!()
    const idempotencyKey = newKey()
    const headers = { prefer: "respond-async" }
    const first = await tokens.post(path, body(), { idempotencyKey, headers })
    expect(first).toMatchObject({ status: 202, json: { onchain_tx: null, confirmed_at: null } })
    const { operation_id } = first.json
    await waitFor(
      async () => (await tokens.get(`/token/operation/${operation_id}`)).json.status === "confirmed",
      "the operation to be confirmed",
    )
    const location = `/v1/token/operation/${operation_id}`
    expect(first.headers).toMatchObject({
      location,
      "retry-after": "1",
      "preference-applied": "respond-async",
    })
    const replay = await tokens.post(path, body(), { idempotencyKey, headers })
    expectReplay(replay, first)
    expect(replay.headers).toMatchObject({ location, "preference-applied": "respond-async" })
    // The preference is not part of the request's fingerprint.
    const waiting = await tokens.post(path, body(), { idempotencyKey })
    expectReplay(waiting, first)
    expect(waiting.headers).toMatchObject({ location })
    expect(waiting.headers["preference-applied"]).toBeUndefined()
    // A final response has no operation to follow.
    const final = await tokens.post(path, body())
    expect(final.status).toBe(200)
    expect(final.headers.location).toBeUndefined()
  })

  test("after a crash before the response is stored, the same key joins the operation that was started", async () => {
    const { body } = endpoints[name]!()
    const idempotencyKey = newKey()
    const first = await tokens.post(path, body(), { idempotencyKey })
    await sql`update idempotency_records set status = null, body = null where idempotency_key = ${idempotencyKey}`
    await rest()
    const before = await operations()
    const joined = await Promise.all(Array.from({ length: 20 }, () => tokens.post(path, body(), { idempotencyKey })))
    expect(new Set(joined.map(({ text }) => text))).toEqual(new Set([first.text]))
    expect(await operations()).toBe(before)
    expectReplay(await tokens.post(path, body(), { idempotencyKey }), first)
  })
})

test("after a crash, the creation of a configuration is joined too, and does not conflict with itself", async () => {
  const body = fund("crashed")
  const idempotencyKey = newKey()
  const first = await tokens.post("/mint-configs", body, { idempotencyKey })
  await sql`update idempotency_records set status = null, body = null where idempotency_key = ${idempotencyKey}`
  const joined = await tokens.post("/mint-configs", body, { idempotencyKey })
  expect([joined.status, joined.text]).toEqual([200, first.text])
  expect((await tokens.post("/mint-configs", body, { idempotencyKey: newKey() })).json.error).toBe("mint_config_exists")
})

test("a configuration's 202 is replayed once its mint exists", async () => {
  const body = fund("accepted")
  const idempotencyKey = newKey()
  const headers = { prefer: "respond-async" }
  const first = await tokens.post("/mint-configs", body, { idempotencyKey, headers })
  expect(first).toMatchObject({ status: 202, json: { mint: null } })
  const applied = {
    location: "/v1/mint-config/accepted",
    "retry-after": "1",
    "preference-applied": "respond-async",
  }
  expect(first.headers).toMatchObject(applied)
  await waitFor(async () => (await tokens.get("/mint-config/accepted")).json.mint !== null, "the mint")
  const replay = await tokens.post("/mint-configs", body, { idempotencyKey, headers })
  expectReplay(replay, first)
  expect(replay.headers).toMatchObject(applied)
})

describe("a refusal is stored like any response", () => {
  const stranger = newWallet()
  test.each<[string, number, string, () => [string, object]]>([
    [
      "a stranger",
      403,
      "wallet_not_verified",
      () => ["/token/mint", { user_pubkey: stranger, mint_config: config, amount: 1 }],
    ],
    [
      "more than the balance",
      422,
      "insufficient_balance",
      () => ["/token/transfer", { from_pubkey: bob, to_pubkey: alice, mint_config: config, amount: "9999999999" }],
    ],
    [
      "a transfer to oneself",
      422,
      "validation_failed",
      () => ["/token/transfer", { from_pubkey: bob, to_pubkey: bob, mint_config: config, amount: 1 }],
    ],
    [
      "an invalid amount",
      422,
      "invalid_amount",
      () => ["/token/mint", { user_pubkey: alice, mint_config: config, amount: "0.55" }],
    ],
    [
      "an unknown configuration",
      422,
      "unknown_mint_config",
      () => ["/token/mint", { user_pubkey: alice, mint_config: "none_v1", amount: 1 }],
    ],
    ["an id that is taken", 409, "mint_config_exists", () => ["/mint-configs", fund(config)]],
    ["pausing nothing", 404, "mint_config_not_found", () => ["/mint-config/none_v1/pause", {}]],
  ])("%s: %i %s", async (_name, status, code, request) => {
    const [path, body] = request()
    const idempotencyKey = newKey()
    const before = await operations()
    const first = await tokens.post(path, body, { idempotencyKey })
    expect([first.status, first.json.error]).toEqual([status, code])
    expectReplay(await tokens.post(path, body, { idempotencyKey }), first)
    const many = await Promise.all(
      Array.from({ length: 30 }, () => tokens.post(path, body, { idempotencyKey: `${idempotencyKey}-many` })),
    )
    // Each response has its request id in its body, so equal texts are the same response.
    expect(new Set(many.map(({ text }) => text)).size).toBe(1)
    expect(await operations()).toBe(before)
  })

  test("a refusal stays the response of its key when its reason is gone", async () => {
    const idempotencyKey = newKey()
    const wallet = newWallet()
    const first = await tokens.mint(config, wallet, 1, { idempotencyKey })
    expect(first.json.error).toBe("wallet_not_verified")
    await app.verifiedWallet(key, wallet)
    expectReplay(await tokens.mint(config, wallet, 1, { idempotencyKey }), first)
    expect((await tokens.mint(config, wallet, 1, { idempotencyKey: newKey() })).status).toBe(200)
  })
})

test("the record shows an operation that failed after its 202, and its key replays the 202", async () => {
  const [wallet] = await tokens.wallets(1)
  const idempotencyKey = newKey()
  const more = { idempotencyKey, headers: { prefer: "respond-async" } }
  let first: Response
  await whileLedgerPaused(async () => {
    first = await tokens.mint(config, wallet, 1, more)
    expect(first.status).toBe(202)
    const { attestation_id } = (await tokens.get(`/kyc/status/${wallet}`)).json
    await tokens.post(`/attestation/${attestation_id}/revoke`, { reason: "Fraud" })
  })
  const record = await waitFor(async () => {
    const { json } = await tokens.get(`/token/operation/${first.json.operation_id}`)
    return json.status === "failed" ? json : null
  }, "the operation to fail")
  expect(record.error.error).toBe("wallet_not_verified")
  expectReplay(await tokens.mint(config, wallet, 1, more), first!)
  // After a crash there is no response to replay, so the operation's outcome is the response, with or without waiting.
  for (const headers of [{}, { prefer: "respond-async" }]) {
    await sql`update idempotency_records set status = null, body = null where idempotency_key = ${idempotencyKey}`
    const joined = await tokens.mint(config, wallet, 1, { idempotencyKey, headers })
    expect(joined).toMatchObject({ status: 403, json: { error: "wallet_not_verified" } })
    expect(joined.json.detail).toBe(record.error.detail)
    expectReplay(await tokens.mint(config, wallet, 1, { idempotencyKey, headers }), joined)
  }
})

describe("what counts as the same request", () => {
  const raw = (idempotencyKey: string, amount: string) =>
    tokens.post("/token/mint", undefined, {
      idempotencyKey,
      headers: { "content-type": "application/json" },
      body: `{"user_pubkey":"${alice}","mint_config":"${config}","amount":${amount}}`,
    })

  test("the same content is the same request, however its JSON is written", async () => {
    const idempotencyKey = newKey()
    const first = await raw(idempotencyKey, "7")
    const other = `{ "amount" : 7, "mint_config": "${config}",\n"user_pubkey":"${alice}" }`
    const headers = { "content-type": "application/json" }
    expectReplay(await tokens.post("/token/mint", undefined, { idempotencyKey, headers, body: other }), first)
  })

  test("the same amount is the same request, however its number is written", async () => {
    const idempotencyKey = newKey()
    const first = await raw(idempotencyKey, "1000")
    expect(first.status).toBe(200)
    expectReplay(await raw(idempotencyKey, "1000.00"), first)
  })

  test("amounts that a double cannot distinguish are different requests", async () => {
    const idempotencyKey = newKey()
    const first = await raw(idempotencyKey, "90071992547409.1")
    expect(first.json.amount).toBe("90071992547409.1")
    const big = newKey()
    expect((await raw(big, "9007199254740992")).json.amount).toBe("9007199254740992")
    expect((await raw(big, "9007199254740993")).json.error).toBe("idempotency_key_reused")
  })

  test.each([
    ["7", "8"],
    ["7", '"7"'],
    ['"7"', '"7.0"'],
  ])("%s and %s are different requests", async (one, other) => {
    const idempotencyKey = newKey()
    expect((await raw(idempotencyKey, one)).status).toBe(200)
    const refused = await raw(idempotencyKey, other)
    expect([refused.status, refused.json.error]).toEqual([422, "idempotency_key_reused"])
  })
})
