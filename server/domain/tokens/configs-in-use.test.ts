import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { createAccount } from "#server/domain/onboarding/create-account.ts"
import { newId } from "#server/lib/ids.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { whileLedgerPaused } from "#test/fixtures/ledger-pause.ts"
import { fund, tokenFixture } from "#test/fixtures/tokens.ts"
import { app, key, tokens, usesCustomer } from "#test/fixtures/uses-app.ts"

usesCustomer()

test("every workspace starts with the default configuration, whose mint is created on first use", async () => {
  const account = await createAccount({ name: newId("acct"), plan: "free" })
  for (const mode of ["live", "test"] as const) {
    const fresh = await app.key({ account, mode })
    const own = tokenFixture(app, fresh)
    const { json } = await own.get("/mint-configs")
    expect(json.data).toEqual([
      {
        id: "us_real_estate_fund_v1",
        name: "US Real Estate Fund",
        symbol: "USREF",
        decimals: 6,
        required_schema: "kyc_individual_v1",
        transfer_mode: "agent",
        rules: {},
        mint: null,
        extensions: null,
        supply: "0",
        holders: 0,
        investors: null,
        paused: false,
        created_at: expect.any(String),
      },
    ])
    const { wallet } = await app.verifiedWallet(fresh)
    const balance = await own.get(`/token/balance/${wallet}?mint_config=us_real_estate_fund_v1`)
    expect(balance.json).toMatchObject({ amount: "0", frozen: true })
    const minted = await own.mint("us_real_estate_fund_v1", wallet, "0.5")
    expect(minted.status).toBe(200)
    const after = await own.get("/mint-config/us_real_estate_fund_v1")
    expect(after.json).toMatchObject({ mint: minted.json.mint, supply: "0.5", holders: 1 })
  }
})

test("simultaneous first uses create one mint", async () => {
  const fresh = await app.key()
  const own = tokenFixture(app, fresh)
  const wallets = await own.wallets(5)
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, i) => own.mint("us_real_estate_fund_v1", wallets[i % 5]!, 1)),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(200))
  expect(new Set(answers.map(({ json }) => json.mint)).size).toBe(1)
  const made = await sql`
    select from operations where workspace_id = ${fresh.workspaceId} and kind = 'create_asset_mint'`
  expect(made).toHaveLength(1)
})

test("a refused first use creates no mint", async () => {
  const own = tokenFixture(app, await app.key())
  const { wallet } = await app.startSession(key)
  expect((await own.mint("us_real_estate_fund_v1", wallet, 1)).json.error).toBe("wallet_not_verified")
  expect((await own.get("/mint-config/us_real_estate_fund_v1")).json.mint).toBeNull()
})

test("the list shows this workspace's configurations, newest first, and agrees with each record", async () => {
  const own = tokenFixture(app, await app.key())
  const ids = ["b_second", "a_third"]
  for (const id of ids) expect((await own.post("/mint-configs", fund(id))).status).toBe(200)
  await sql`update mint_configs set created_at = created_at - interval '1 hour' where id = 'us_real_estate_fund_v1'`
  const { json } = await own.get("/mint-configs")
  expect(json.data.map((one: { id: string }) => one.id)).toEqual([...ids.toReversed(), "us_real_estate_fund_v1"])
  for (const one of json.data) expect((await own.get(`/mint-config/${one.id}`)).json).toEqual(one)
})

test("pausing or unpausing twice has the effect of once", async () => {
  const id = await tokens.config()
  for (const [verb, paused] of [
    ["pause", true],
    ["pause", true],
    ["unpause", false],
    ["unpause", false],
  ] as const) {
    const { status, json } = await tokens.post(`/mint-config/${id}/${verb}`, {})
    expect([status, json.paused]).toEqual([200, paused])
    expect((await tokens.get(`/mint-config/${id}`)).json).toEqual(json)
  }
})

test.each(["none_v1", "UPPER", "x".repeat(200), "%00", "__proto__"])(
  "an unknown configuration is mint_config_not_found: %s",
  async (id) => {
    for (const response of [
      await tokens.get(`/mint-config/${id}`),
      await tokens.post(`/mint-config/${id}/pause`, {}),
      await tokens.post(`/mint-config/${id}/unpause`, {}),
    ]) {
      expect([response.status, response.json.error]).toEqual([404, "mint_config_not_found"])
    }
  },
)

test("supply and holders count confirmed operations", async () => {
  const id = await tokens.config({}, { decimals: 2 })
  const [alice, bob] = await tokens.wallets(2)
  await tokens.mint(id, alice, "10.25")
  await tokens.transfer(id, alice, bob, "0.25")
  expect((await tokens.get(`/mint-config/${id}`)).json).toMatchObject({ supply: "10.25", holders: 2 })
  await tokens.transfer(id, bob, alice, "0.25")
  expect((await tokens.get(`/mint-config/${id}`)).json).toMatchObject({ supply: "10.25", holders: 1 })
  let waiting: ReturnType<typeof tokens.mint>
  await whileLedgerPaused(async () => {
    waiting = tokens.mint(id, bob, 1)
    await waitFor(
      async () => (await tokens.trace(id)).operations.some(({ status }) => status === "queued"),
      "the mint to be queued",
    )
    expect((await tokens.get(`/mint-config/${id}`)).json.supply).toBe("10.25")
  })
  expect((await waiting!).status).toBe(200)
  expect((await tokens.get(`/mint-config/${id}`)).json).toMatchObject({ supply: "11.25", holders: 2 })
})

test("an old configuration whose rules name unassigned country codes can be read unchanged", async () => {
  const id = await tokens.config({ blocked_countries: ["KP"] })
  await sql`update mint_configs set rules = ${sql.json({ blocked_countries: ["ZZ"] })} where id = ${id}`
  expect((await tokens.get(`/mint-config/${id}`)).json.rules).toEqual({ blocked_countries: ["ZZ"] })
  expect((await tokens.get("/mint-configs")).status).toBe(200)
})
