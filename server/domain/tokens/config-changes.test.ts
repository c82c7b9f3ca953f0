import { beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { type TestKey, waitFor } from "#test/fixtures/app.ts"
import { byOperator } from "#test/fixtures/operator.ts"
import { type Browser, member } from "#test/fixtures/people.ts"
import { fund, type TokenFixture, tokenFixture } from "#test/fixtures/tokens.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"
import { snapshot } from "#test/matchers/snapshot.ts"
import { applyConfig } from "./change-config.ts"
import type { ConfigInput } from "./config.ts"

let key: TestKey
let tokens: TokenFixture
let browser: Browser

usesApp()
beforeAll(async () => {
  const owner = await member(app)
  browser = owner.browser
  key = await app.key({ account: owner.account })
  tokens = tokenFixture(app, key)
})

let made = 0
const freshId = () => `change_${++made}`

const trailOf = (subject: string) => sql`
  select action, actor, actor_id, actor_name, detail, request_id from audit_entries
  where workspace_id = ${key.workspaceId} and subject = ${subject} order by seq`

const check = async (config: object, is_new = true): Promise<string[]> => {
  const { data } = await browser.query("mintConfig.check", { config, is_new })
  return data.issues.map(({ field, error, detail }: Record<string, string>) => `${field} ${error} ${detail}`)
}

const view = async (id: string) => (await browser.query("mintConfig.view", { id })).data

test("every change of a configuration is in the audit log, through any interface", async () => {
  const id = freshId()
  const { json, headers } = await tokens.post("/mint-configs", fund(id))
  expect(json.id).toBe(id)
  const saved = await browser.mutate("mintConfig.save", { ...fund(id), rules: { max_holders: 3 } })
  expect(saved.data).toMatchObject({ outcome: "changed", config: { id, rules: { max_holders: 3 } } })
  await browser.mutate("mintConfig.pause", { id })
  await tokens.post(`/mint-config/${id}/unpause`, {})
  await applyConfig(byOperator(key), {
    ...fund(id),
    transfer_mode: "agent",
    rules: {},
    required_schema: "kyc_business_v1",
  })
  const { id: _, ...created } = { ...fund(id), transfer_mode: "agent", rules: {} }
  expect([...(await trailOf(id))]).toEqual([
    {
      action: "mint_config.created",
      actor: "key",
      actor_id: key.keyId,
      actor_name: "test",
      detail: created,
      request_id: headers["x-request-id"],
    },
    {
      action: "mint_config.changed",
      actor: "user",
      actor_id: expect.any(String),
      actor_name: "The owner",
      detail: { before: { rules: {} }, after: { rules: { max_holders: 3 } } },
      request_id: expect.stringMatching(/^req_/),
    },
    expect.objectContaining({ action: "mint_config.paused", actor: "user", detail: {} }),
    expect.objectContaining({ action: "mint_config.unpaused", actor: "key" }),
    {
      action: "mint_config.changed",
      actor: "operator",
      actor_id: null,
      actor_name: "Command line",
      detail: {
        before: { required_schema: "kyc_individual_v1", rules: { max_holders: 3 } },
        after: { required_schema: "kyc_business_v1", rules: {} },
      },
      request_id: null,
    },
  ])
})

test("a change without effect leaves no audit line", async () => {
  const id = await tokens.config()
  const before = (await trailOf(id)).length
  await browser.mutate("mintConfig.unpause", { id })
  expect((await browser.mutate("mintConfig.save", fund(id))).data.outcome).toBe("unchanged")
  const refused = await browser.mutate("mintConfig.save", { ...fund(id), decimals: 3 })
  expect(refused.error).toMatchObject({
    error: "validation_failed",
    detail: expect.stringMatching(/^decimals: /),
  })
  expect((await trailOf(id)).length).toBe(before)
})

test("a configuration created on the page has its mint on chain", async () => {
  const id = freshId()
  const { data } = await browser.mutate("mintConfig.create", fund(id))
  expect(data).toMatchObject({ id, mint: expect.any(String) })
  expect(await view(id)).toMatchObject({
    ...data,
    mint_state: "ready",
    issued: "0",
    reconciling: null,
    cluster: "localnet",
    explorer: null,
  })
})

test("the first configuration has no mint before its first use", async () => {
  const id = "us_real_estate_fund_v1"
  expect(await view(id)).toMatchObject({ mint: null, mint_state: "none" })
  await tokens.mint(id, (await tokens.wallets(1))[0]!, "2.5")
  expect(await view(id)).toMatchObject({ mint: expect.any(String), mint_state: "ready", issued: "2.5" })
})

test("an invalid change is reported at its field with the API's code, and changes nothing", async () => {
  const id = await tokens.config()
  const before = await snapshot()
  const good = fund("fresh_v1")
  expect(await check(good)).toEqual([])
  expect(await check({ ...good, id })).toEqual([
    `id mint_config_exists the mint configuration ${id} already exists. Choose another id.`,
  ])
  expect(await check({ ...good, id }, false)).toEqual([])
  expect(await check({ ...good, name: "", symbol: "€", decimals: 10, other: 1 })).toEqual([
    expect.stringMatching(/^name validation_failed /),
    expect.stringMatching(/^symbol validation_failed /),
    expect.stringMatching(/^decimals validation_failed /),
    expect.stringMatching(/ validation_failed /),
  ])
  expect(await check({ ...good, required_schema: "none_v1" })).toEqual([
    expect.stringMatching(/^required_schema unknown_schema /),
  ])
  expect(await check({ ...good, rules: { max_supply: "1.5" } })).toEqual([
    expect.stringMatching(/^rules.max_supply validation_failed must be a whole number of at most 18446744073709551615/),
  ])
  expect(await check({ ...good, transfer_mode: "holder", rules: { max_holders: 1 } })).toEqual([
    expect.stringMatching(/^rules.max_holders validation_failed cannot be enforced in transfer_mode holder/),
  ])
  expect(await check({ ...good, rules: { allowed_countries: ["usa"] } })).toEqual([
    expect.stringMatching(/^rules.allowed_countries.0 validation_failed /),
  ])
  expect(await snapshot()).toEqual(before)
})

test("a change of mode shows the progress of the accounts", async () => {
  const id = await tokens.config()
  const wallets = await tokens.wallets(3)
  for (const wallet of wallets) await tokens.mint(id, wallet, 1)
  await app.faults({ drop: 1 })
  const { data } = await browser.mutate("mintConfig.save", { ...fund(id), transfer_mode: "holder" })
  expect(data.config.reconciling).toEqual({ done: 0, total: 3 })
  await waitFor(async () => {
    const { reconciling } = await view(id)
    return reconciling !== null && reconciling.total === 3
  }, "the accounts to be queued")
  await app.faults({})
  await waitFor(async () => (await view(id)).reconciling === null, "all accounts to be reconciled")
  const { data: holders } = await browser.query("token.holders", { mint_config: id })
  expect(holders.data.map(({ account }: { account: string }) => account)).toEqual(["open", "open", "open"])
})

test("if two processes apply a configuration for the first time, one creates it and the other finds it", async () => {
  const apply = (id: string, more: Partial<ConfigInput> = {}) =>
    applyConfig(byOperator(key), { ...fund(id), transfer_mode: "agent" as const, rules: {}, ...more })
  const equal = await Promise.all(Array.from({ length: 8 }, () => apply("first_alike")))
  expect(equal.map(({ outcome }) => outcome).sort()).toEqual(["created", ...Array(7).fill("unchanged")])
  expect(await trailOf("first_alike")).toMatchObject([{ action: "mint_config.created" }])

  const unlike = await Promise.all([2, 3].map((max_holders) => apply("first_unlike", { rules: { max_holders } })))
  expect(unlike.map(({ outcome }) => outcome).sort()).toEqual(["changed", "created"])
})
