import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { createAccount } from "#server/domain/onboarding/create-account.ts"
import { newId } from "#server/lib/ids.ts"
import { type TestKey, waitFor } from "#test/fixtures/app.ts"
import type { Sent } from "#test/fixtures/http.ts"
import { tokenFixture } from "#test/fixtures/tokens.ts"
import { app, key, tokens, usesCustomer } from "#test/fixtures/uses-app.ts"

usesCustomer()

const change = (id: string, json: unknown, { by = key, ...more }: Partial<Sent> & { by?: TestKey } = {}) =>
  app.request({ method: "PATCH", path: `/mint-config/${id}`, key: by.apiKey, json, ...more })

const trailOf = (subject: string) => sql`
  select actor, actor_id, detail, request_id from audit_entries
  where workspace_id = ${key.workspaceId} and subject = ${subject} and action = 'mint_config.changed' order by seq`

const eventsOf = async (id: string) => {
  const { json } = await app.request({
    method: "GET",
    path: "/events?type=token.changed&limit=1000",
    key: key.apiKey,
  })
  return json.data.filter(({ data }: { data: { mint_config: string } }) => data.mint_config === id)
}

test("a change replaces the rules that it names, keeps others, and removes those set to null", async () => {
  const id = await tokens.config({ max_holders: 5, blocked_countries: ["KP"] })
  const [wallet] = await tokens.wallets(1, { country: "US" })
  expect((await tokens.mint(id, wallet, 3)).status).toBe(200)

  const changed = await change(id, { rules: { max_supply: "3" } })
  expect(changed).toMatchObject({
    status: 200,
    json: { id, rules: { max_holders: 5, blocked_countries: ["KP"], max_supply: "3" }, supply: "3" },
  })
  expect((await tokens.get(`/mint-config/${id}`)).json).toEqual(changed.json)
  expect((await tokens.mint(id, wallet, 1)).json.error).toBe("supply_cap_exceeded")

  const ended = await change(id, {
    rules: { max_supply: null, max_holders: null, transfers_locked_until: null },
  })
  expect(ended.json.rules).toEqual({ blocked_countries: ["KP"] })
  expect((await tokens.mint(id, wallet, 1)).status).toBe(200)

  expect([...(await trailOf(id))]).toEqual([
    {
      actor: "key",
      actor_id: key.keyId,
      detail: {
        before: { rules: { max_holders: 5, blocked_countries: ["KP"] } },
        after: { rules: { max_holders: 5, blocked_countries: ["KP"], max_supply: "3" } },
      },
      request_id: changed.headers["x-request-id"],
    },
    expect.objectContaining({ request_id: ended.headers["x-request-id"] }),
  ])
  const told = await waitFor(async () => {
    const told = await eventsOf(id)
    return told.length >= 2 && told
  }, "two events")
  expect(told.map(({ data }: { data: object }) => data)).toEqual(
    Array(2).fill({ mint_config: id, symbol: "FUND", changed: ["rules"] }),
  )
})

test("a change without effect is not logged, and sends no event", async () => {
  const id = await tokens.config({ max_holders: 5 })
  const before = (await tokens.get(`/mint-config/${id}`)).json
  for (const json of [{}, { rules: {} }, { rules: { max_supply: null } }, { name: "Fund", transfer_mode: "agent" }]) {
    expect((await change(id, json)).json).toEqual(before)
  }
  expect(await trailOf(id)).toHaveLength(0)
  expect(
    await sql`select from staged_events where type = 'token.changed' and data ->> 'mint_config' = ${id}`,
  ).toHaveLength(0)
  expect(await eventsOf(id)).toEqual([])
})

test("a changed schema also applies to operations that are not signed yet", async () => {
  const id = await tokens.config()
  const [wallet] = await tokens.wallets(1)
  await app.faults({ drop: 1 })
  const headers = { prefer: "respond-async" }
  const waiting = await tokens.mint(id, wallet, 1, { headers })
  expect(waiting.status).toBe(202)
  expect((await change(id, { required_schema: "kyc_business_v1" })).status).toBe(200)
  await app.faults({})
  expect((await tokens.mint(id, wallet, 1)).json.error).toBe("wallet_not_verified")
  // The mint was either signed before the change, or refused after it. The books agree in both cases.
  const { status } = await waitFor(async () => {
    const { json } = await tokens.get(`/token/operation/${waiting.json.operation_id}`)
    return ["confirmed", "failed"].includes(json.status) && json
  }, "the mint to end")
  const { counters, onChain } = await tokens.trace(id)
  expect([counters.supply, onChain]).toEqual(status === "confirmed" ? ["1", 1n] : ["0", 0n])
})

test("what is on chain, and the transfer mode, cannot be changed here, and the refusal names the field", async () => {
  const id = await tokens.config()
  for (const [json, detail] of [
    [{ name: "Other" }, /^name: cannot change; the mint has "Fund"/],
    [{ symbol: "OTHER" }, /^symbol: cannot change/],
    [{ decimals: 3 }, /^decimals: cannot change; the mint has 0/],
    [{ transfer_mode: "holder" }, /^transfer_mode: cannot change here; it is agent/],
    [{ mint: "x" }, /^mint: unknown field/],
    [{ paused: true }, /^paused: unknown field/],
    [{ id: "other" }, /^id: unknown field/],
  ] as const) {
    const refused = await change(id, { ...json, rules: { max_holders: 1 } })
    expect(refused, JSON.stringify(json)).toMatchObject({
      status: 422,
      json: { error: "validation_failed", detail: expect.stringMatching(detail) },
    })
  }
  expect((await tokens.get(`/mint-config/${id}`)).json.rules).toEqual({})
  // The first configuration has no mint before its first use.
  const fresh = await app.key()
  const first = await change("us_real_estate_fund_v1", { name: "Mine", symbol: "M", decimals: 2 }, { by: fresh })
  expect(first).toMatchObject({ status: 200, json: { name: "Mine", symbol: "M", decimals: 2, mint: null } })
})

test.each([
  [{ rules: { max_holders: "5" } }, /^rules.max_holders: /],
  [{ rules: { max_holders: 0 } }, /^rules.max_holders: /],
  [{ rules: { max_supply: 5 } }, /^rules.max_supply: /],
  [{ rules: { max_supply: "0.0000001" } }, /^rules.max_supply: /],
  [{ rules: { allowed_countries: [] } }, /^rules.allowed_countries: /],
  [{ rules: { allowed_countries: ["US\u0000"] } }, /^rules.allowed_countries.0: /],
  [{ rules: { transfers_locked_until: "0000-01-01T00:00:00Z" } }, /^rules.transfers_locked_until: /],
  [{ rules: { none: 1 } }, /^rules/],
  [{ rules: null }, /^rules: /],
  [{ rules: [] }, /^rules: /],
  [{ name: "" }, /^name: /],
  [{ name: "a\u0000b" }, /^name: /],
  [{ name: null }, /^name: /],
  [{ transfer_mode: "none" }, /^transfer_mode: /],
  [{ constructor: 1 }, /^constructor: unknown field/],
])("%j is 422, and the error names the field", async (json, detail) => {
  const refused = await change("us_real_estate_fund_v1", json)
  expect(refused, refused.text).toMatchObject({
    status: 422,
    json: { error: "validation_failed", detail: expect.stringMatching(detail) },
  })
})

test("an unknown schema is unknown_schema, and rules that the mode cannot enforce are refused", async () => {
  const id = await tokens.config({}, { transfer_mode: "holder" })
  for (const required_schema of ["none_v1", "\u0000", "X"]) {
    expect((await change(id, { required_schema })).json.error).toBe("unknown_schema")
  }
  expect((await change(id, { rules: { max_holders: 1 } })).json).toMatchObject({
    error: "validation_failed",
    detail: expect.stringMatching(/^rules.max_holders: cannot be enforced in transfer_mode holder/),
  })
})

test("in holder mode, accounts follow a rule about wallets", async () => {
  const id = await tokens.config({}, { transfer_mode: "holder" })
  const [wallet] = await tokens.wallets(1, { country: "US" })
  await tokens.mint(id, wallet, 1)
  const frozen = async () => (await tokens.get(`/token/balance/${wallet}?mint_config=${id}`)).json.frozen
  expect(await frozen()).toBe(false)
  expect((await change(id, { rules: { blocked_countries: ["US"] } })).status).toBe(200)
  await waitFor(frozen, "the account to be frozen")
  expect((await change(id, { rules: { blocked_countries: null } })).status).toBe(200)
  await waitFor(async () => !(await frozen()), "the account to be open")
})

test("another workspace's configuration does not exist, in live and in test", async () => {
  const account = await createAccount({ name: newId("acct"), plan: "free" })
  const [live, test] = [await app.key({ account, mode: "live" }), await app.key({ account, mode: "test" })]
  const id = await tokenFixture(app, live).config({ max_holders: 5 })
  const answers = await Promise.all(
    [id, "none_v1", "a%00b", "%F0%9F%98%80", "x".repeat(300)].map((one) =>
      change(one, { rules: { max_holders: 1 } }, { by: test }),
    ),
  )
  for (const { status, json } of answers) {
    expect([status, json.error]).toEqual([404, "mint_config_not_found"])
  }
  const kept = await app.request({ method: "GET", path: `/mint-config/${id}`, key: live.apiKey })
  expect(kept.json.rules).toEqual({ max_holders: 5 })
})

test("changing needs config:write, and token:mint is not enough", async () => {
  const minter = await app.key({ scopes: ["token:mint", "token:read"] })
  expect(await change("us_real_estate_fund_v1", {}, { by: minter })).toMatchObject({
    status: 403,
    json: { error: "insufficient_scope", detail: expect.stringContaining("config:write") },
  })
})

test("a repeat with the same key changes nothing again, and finishes what a crash interrupted", async () => {
  const id = await tokens.config()
  const idempotencyKey = newId("evt")
  const first = await change(id, { rules: { max_holders: 2 } }, { idempotencyKey })
  expect(first.status).toBe(200)
  await change(id, { rules: { max_holders: 7 } })
  const replay = await change(id, { rules: { max_holders: 2 } }, { idempotencyKey })
  expect([replay.text, replay.headers["idempotent-replayed"]]).toEqual([first.text, "true"])
  expect((await change(id, { rules: { max_holders: 3 } }, { idempotencyKey })).json.error).toBe(
    "idempotency_key_reused",
  )
  await sql`update idempotency_records set status = null, body = null where idempotency_key = ${idempotencyKey}`
  const joined = await change(id, { rules: { max_holders: 2 } }, { idempotencyKey })
  expect(joined.json.rules).toEqual({ max_holders: 7 })
  expect(await trailOf(id)).toHaveLength(2)
})

test("simultaneous changes of different rules all take effect", async () => {
  const id = await tokens.config()
  const rules = [
    { max_holders: 9 },
    { max_supply: "100" },
    { max_balance_per_wallet: "10" },
    { blocked_countries: ["KP"] },
    { require_accredited: true },
  ]
  const answers = await Promise.all(rules.map((one) => change(id, { rules: one })))
  expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(200))
  expect((await tokens.get(`/mint-config/${id}`)).json.rules).toEqual(Object.assign({}, ...rules))
  expect(await trailOf(id)).toHaveLength(5)
})
