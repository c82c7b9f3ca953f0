import { afterAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { waitFor } from "#test/fixtures/app.ts"
import type { Response } from "#test/fixtures/http.ts"
import { whileLedgerPaused } from "#test/fixtures/ledger-pause.ts"
import { app, key, tokens, usesCustomer } from "#test/fixtures/uses-app.ts"
import { differences } from "#test/matchers/credential.ts"

// Limits by investor: whom they count, and when a slot is free.

usesCustomer({ key: { mode: "live", plan: "enterprise" } })
afterAll(async () => expect(await differences()).toEqual([]))

const async = { headers: { prefer: "respond-async" } }

const codeOf = ({ status, json }: Response) => (status < 300 ? status : json.error)
const investorsOf = async (config: string): Promise<number | null> =>
  (await tokens.get(`/mint-config/${config}`)).json.investors
const countsOf = async (config: string) => {
  const [row] = await sql`select investors from mint_configs where workspace_id = ${key.workspaceId} and id = ${config}`
  return row!.investors
}

test("all wallets of a person count as one investor, and their balances together", async () => {
  const config = await tokens.config({ max_investors: 2, max_balance_per_investor: "100" })
  const [one, two, three] = await tokens.walletsOf("together", 3)
  const [other, third] = await tokens.wallets(2)
  expect(codeOf(await tokens.mint(config, one, 40))).toBe(200)
  expect(codeOf(await tokens.mint(config, two, 60))).toBe(200)
  expect(codeOf(await tokens.mint(config, three, 1))).toBe("investor_balance_limit_exceeded")
  expect(codeOf(await tokens.mint(config, other, 1))).toBe(200)
  expect(await investorsOf(config)).toBe(2)
  expect(codeOf(await tokens.mint(config, third, 1))).toBe("investor_limit_reached")
  // Between their own wallets nothing counts.
  expect(codeOf(await tokens.transfer(config, one, three, 40))).toBe(200)
  expect(await investorsOf(config)).toBe(2)
})

test("a token without such rules counts no investors", async () => {
  const config = await tokens.config({ max_holders: 5 })
  const [wallet] = await tokens.wallets(1)
  await tokens.mint(config, wallet, 1)
  expect(await investorsOf(config)).toBeNull()
})

test("limits by country count the country of the person, and an unknown one counts everywhere", async () => {
  const config = await tokens.config({ max_investors_by_country: { JP: 2, DE: 1 } })
  const [jp] = await tokens.wallets(1, { country: "JP" })
  const [unknown] = await tokens.wallets(1, {})
  const [jp3] = await tokens.wallets(1, { country: "JP" })
  const [de] = await tokens.wallets(1, { country: "DE" })
  const [us] = await tokens.wallets(1, { country: "US" })
  expect(codeOf(await tokens.mint(config, jp, 1))).toBe(200)
  expect(codeOf(await tokens.mint(config, unknown, 1))).toBe(200)
  const refused = await tokens.mint(config, jp3, 1)
  expect(codeOf(refused)).toBe("investor_limit_reached")
  expect(refused.json.detail).toBe("The token has reached its maximum of 2 investors from Japan (JP).")
  expect(codeOf(await tokens.mint(config, de, 1))).toBe("investor_limit_reached")
  expect(codeOf(await tokens.mint(config, us, 1))).toBe(200)
  expect(await countsOf(config)).toEqual({
    investors: 3,
    "country:JP": 1,
    "country:": 1,
    "country:US": 1,
    non_accredited: 3,
  })
})

test("limits of investors who are not accredited leave room for those who are", async () => {
  const config = await tokens.config({ max_non_accredited_investors: 1 })
  const [one, two] = await tokens.wallets(2)
  const [accredited] = await tokens.wallets(1, { country: "US", accredited: true })
  expect(codeOf(await tokens.mint(config, one, 1))).toBe(200)
  expect(codeOf(await tokens.mint(config, two, 1))).toBe("investor_limit_reached")
  expect(codeOf(await tokens.mint(config, accredited, 1))).toBe(200)
  // Who gives everything to another hands the slot on, and not a part.
  expect(codeOf(await tokens.transfer(config, one, two, 1))).toBe(200)
  expect(await countsOf(config)).toEqual({ investors: 2, "country:US": 2, non_accredited: 1 })
})

test("a slot goes on only from an investor whose wallets are all empty afterwards", async () => {
  const config = await tokens.config({ max_investors: 1 })
  const [one, two] = await tokens.walletsOf("leaves", 2)
  const [other] = await tokens.wallets(1)
  await tokens.mint(config, one, 5)
  await tokens.mint(config, two, 5)
  expect(codeOf(await tokens.transfer(config, one, other, 5))).toBe("investor_limit_reached")
  await tokens.transfer(config, one, two, 5)
  expect(codeOf(await tokens.transfer(config, two, other, 10))).toBe(200)
  expect(await investorsOf(config)).toBe(1)
  expect(await sql`select * from investor_slots where mint_config = ${config}`).toHaveLength(1)
})

test("a slot that goes along with a transfer comes back if it fails", async () => {
  const config = await tokens.config({ max_investors: 1 })
  const [alice, bob, carol] = await tokens.wallets(3)
  await tokens.mint(config, alice, 5)
  let exit = ""
  await whileLedgerPaused(async () => {
    exit = (await tokens.transfer(config, alice, bob, 5, async)).json.operation_id
    expect(await investorsOf(config)).toBe(1)
    // Neither of them has the slot alone, and no one else gets it.
    expect(codeOf(await tokens.mint(config, carol, 1))).toBe("investor_limit_reached")
    expect(codeOf(await tokens.mint(config, alice, 1))).toBe("investor_limit_reached")
    expect(codeOf(await tokens.mint(config, bob, 1))).toBe("investor_limit_reached")
    const { attestation_id } = (await tokens.get(`/kyc/status/${bob}`)).json
    await tokens.post(`/attestation/${attestation_id}/revoke`, { reason: "Fraud" })
  })
  await waitFor(async () => (await tokens.get(`/token/operation/${exit}`)).json.status === "failed", "the refusal")
  expect(await investorsOf(config)).toBe(1)
  expect(codeOf(await tokens.mint(config, alice, 1))).toBe(200)
  expect(codeOf(await tokens.transfer(config, alice, carol, 6))).toBe(200)
  expect(codeOf(await tokens.mint(config, carol, 1))).toBe(200)
  expect(codeOf(await tokens.mint(config, alice, 1))).toBe("investor_limit_reached")
})

test("both receive on their own while a slot goes along, if there is room for both", async () => {
  const config = await tokens.config({ max_investors: 1 })
  const [alice, bob] = await tokens.wallets(2)
  await tokens.mint(config, alice, 5)
  await whileLedgerPaused(async () => {
    expect(codeOf(await tokens.transfer(config, alice, bob, 5, async))).toBe(202)
    await app.request({
      ...{ method: "PATCH", path: `/mint-config/${config}`, key: key.apiKey },
      json: { rules: { max_investors: 2 } },
    })
    expect(codeOf(await tokens.mint(config, alice, 1, async))).toBe(202)
    expect(await investorsOf(config)).toBe(2)
  })
  await waitFor(async () => (await tokens.trace(config)).operations.every((one) => one.status === "confirmed"), "all")
  expect(await investorsOf(config)).toBe(2)
})

test("a burn of everything frees the slot", async () => {
  const config = await tokens.config({ max_investors: 1 })
  const [alice, bob] = await tokens.wallets(2)
  await tokens.mint(config, alice, 5)
  expect(codeOf(await tokens.mint(config, bob, 1))).toBe("investor_limit_reached")
  const burn = { user_pubkey: alice, mint_config: config, amount: 5, reason_code: "redemption", reference: "R-1" }
  expect(codeOf(await tokens.post("/token/burn", { ...burn, holder_consent: true }))).toBe(200)
  expect(await investorsOf(config)).toBe(0)
  expect(codeOf(await tokens.mint(config, bob, 1))).toBe(200)
})

test("the minimum binds both ends of a transfer, and a burn sets it aside", async () => {
  const config = await tokens.config({ min_balance: "50" })
  const [alice, bob] = await tokens.wallets(2)
  expect(codeOf(await tokens.mint(config, alice, 49))).toBe("below_minimum")
  expect(codeOf(await tokens.mint(config, alice, 100))).toBe(200)
  expect(codeOf(await tokens.transfer(config, alice, bob, 10))).toBe("below_minimum")
  expect(codeOf(await tokens.transfer(config, alice, bob, 60))).toBe("below_minimum")
  expect(codeOf(await tokens.transfer(config, alice, bob, 50))).toBe(200)
  const burn = { user_pubkey: bob, mint_config: config, amount: 20, reason_code: "redemption", reference: "R-1" }
  const burned = await tokens.post("/token/burn", { ...burn, holder_consent: true })
  expect(codeOf(burned)).toBe(200)
  const [requested] = await sql`
    select detail from audit_entries where subject = ${burned.json.operation_id} and action = 'token.burn_requested'`
  expect(requested!.detail.overrides).toEqual(["below_minimum"])
})

test("between the wallets of one investor, the minimum does not count", async () => {
  const config = await tokens.config({ min_balance: "50" })
  const [one, two] = await tokens.walletsOf("splits", 2)
  await tokens.mint(config, one, 60)
  expect(codeOf(await tokens.transfer(config, one, two, 30))).toBe(200)
})

test("the first rule that counts investors counts those who hold the token already", async () => {
  const config = await tokens.config()
  const [one, two] = await tokens.walletsOf("counted_later", 2, { country: "JP" })
  const [other, third] = await tokens.wallets(2)
  for (const wallet of [one, two, other]) await tokens.mint(config, wallet, 10)
  const patch = (rules: object) =>
    app.request({ method: "PATCH", path: `/mint-config/${config}`, key: key.apiKey, json: { rules } })
  await patch({ max_investors: 2 })
  expect(await countsOf(config)).toEqual({ investors: 2, "country:JP": 1, "country:US": 1, non_accredited: 2 })
  expect(codeOf(await tokens.mint(config, third, 1))).toBe("investor_limit_reached")
  expect((await patch({ max_investors: null })).json.investors).toBeNull()
  expect(await sql`select * from investor_slots where mint_config = ${config}`).toEqual([])
  expect(codeOf(await tokens.mint(config, third, 1))).toBe(200)
})

test("holder mode cannot enforce them", async () => {
  const rules = { max_investors: 2 }
  const fund = { id: "by_holders", name: "Fund", symbol: "FUND", decimals: 0, required_schema: "kyc_individual_v1" }
  const { status, json } = await tokens.post("/mint-configs", { ...fund, transfer_mode: "holder", rules })
  expect([status, json.error]).toEqual([422, "validation_failed"])
  expect(json.detail).toMatch(/^rules.max_investors: cannot be enforced/)
})
