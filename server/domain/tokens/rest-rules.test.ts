import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { addSeconds } from "#server/lib/time.ts"
import type { ErrorCode } from "#shared/errors.ts"
import { newWallet } from "#test/fixtures/app.ts"
import { moveClock } from "#test/fixtures/clock.ts"
import type { Response } from "#test/fixtures/http.ts"
import { app, key, tokens, usesCustomer } from "#test/fixtures/uses-app.ts"
import { differences } from "#test/matchers/credential.ts"
import { admitted, expectRefused } from "#test/matchers/token-outcomes.ts"

usesCustomer({ key: { mode: "live", plan: "enterprise" } })
afterEach(() => app.faults({}))
afterAll(async () => expect(await differences()).toEqual([]))

const refused = (config: string, code: ErrorCode, request: () => Promise<Response>) =>
  expectRefused(tokens, config, code, request)
const walletWith = async (claims: Record<string, unknown>) => (await tokens.wallets(1, claims))[0]!

test("mint_paused: nothing is minted or moved while the configuration is paused", async () => {
  const config = await tokens.config()
  const [alice, bob] = await tokens.wallets(2)
  await admitted(tokens.mint(config, alice, 10))
  const paused = await tokens.post(`/mint-config/${config}/pause`, {})
  expect(paused.json).toMatchObject({ id: config, paused: true })
  await refused(config, "mint_paused", () => tokens.mint(config, alice, 1))
  await refused(config, "mint_paused", () => tokens.transfer(config, alice, bob, 1))
  const unpaused = await tokens.post(`/mint-config/${config}/unpause`, {})
  expect(unpaused.json).toMatchObject({ id: config, paused: false })
  await admitted(tokens.mint(config, alice, 1))
  await admitted(tokens.transfer(config, alice, bob, 1))
})

test("country_not_allowed: a rule can name Kosovo by any vendor's code, and refuses investors without a country", async () => {
  const config = await tokens.config({ allowed_countries: ["XK", "GB"] })
  for (const country of ["XK", "XKX", "RKS", "GBD"])
    await admitted(tokens.mint(config, await walletWith({ country }), 1))
  const stateless = await walletWith({ country: "XXA" })
  await refused(config, "country_not_allowed", () => tokens.mint(config, stateless, 1))
})

test("transfers_locked: transfers are refused until the time, while minting works", async () => {
  const end = new Date("2099-01-01T00:00:00Z")
  const config = await tokens.config({ transfers_locked_until: "2099-01-01T00:00:00Z" })
  const open = await tokens.config({ transfers_locked_until: "2020-01-01T00:00:00Z" })
  const [alice, bob] = await tokens.wallets(2)
  await admitted(tokens.mint(config, alice, 10))
  const { json } = await refused(config, "transfers_locked", () => tokens.transfer(config, alice, bob, 1))
  expect(json.detail).toContain("2099-01-01T00:00:00Z")
  await admitted(tokens.mint(open, alice, 10))
  await admitted(tokens.transfer(open, alice, bob, 1))

  await moveClock(end)
  await sql`
    update attestations set expires_at = ${addSeconds(end, 3600)}
    where workspace_id = ${key.workspaceId} and wallet in (${alice}, ${bob})`
  await moveClock(addSeconds(end, -1))
  await refused(config, "transfers_locked", () => tokens.transfer(config, alice, bob, 1))
  await moveClock(end)
  await admitted(tokens.transfer(config, alice, bob, 1))
})

test("wallet_not_verified: a mint needs its receiver verified, a transfer needs both", async () => {
  const config = await tokens.config()
  const [alice, bob] = await tokens.wallets(2)
  const stranger = newWallet()
  await admitted(tokens.mint(config, alice, 10))
  for (const request of [
    () => tokens.mint(config, stranger, 1),
    () => tokens.transfer(config, alice, stranger, 1),
    () => tokens.transfer(config, stranger, alice, 1),
  ]) {
    const { json } = await refused(config, "wallet_not_verified", request)
    expect(json.detail).toContain(stranger)
    expect(json.detail).toContain("kyc_individual_v1")
  }
  await admitted(tokens.transfer(config, alice, bob, 1))
})

test("wallet_not_verified: a pending or rejected verification, or one for another schema, does not count", async () => {
  const config = await tokens.config()
  const pending = await app.startSession(key)
  await refused(config, "wallet_not_verified", () => tokens.mint(config, pending.wallet, 1))
  await app.webhook({ session_id: pending.sessionId, decision: "rejected" })
  await refused(config, "wallet_not_verified", () => tokens.mint(config, pending.wallet, 1))
  const business = await app.startSession(key, newWallet(), "kyc_business_v1")
  await app.webhook({ session_id: business.sessionId, decision: "approved" })
  await app.waitForStatus(key, business.wallet, "verified")
  await refused(config, "wallet_not_verified", () => tokens.mint(config, business.wallet, 1))
  const forBusiness = await tokens.config({}, { required_schema: "kyc_business_v1" })
  await admitted(tokens.mint(forBusiness, business.wallet, 1))
})

test("wallet_not_verified: a verification ends in the second in which it expires", async () => {
  const config = await tokens.config()
  const { wallet, status } = await app.verifiedWallet(key)
  const expires = new Date(status.expires_at)
  await moveClock(addSeconds(expires, -1))
  await admitted(tokens.mint(config, wallet, 1))
  await moveClock(expires)
  await refused(config, "wallet_not_verified", () => tokens.mint(config, wallet, 1))
})

test("country_not_allowed: investors outside the allowed list, on the blocked list or without a country are refused", async () => {
  const allowing = await tokens.config({ allowed_countries: ["US", "CA"] })
  const blocking = await tokens.config({ blocked_countries: ["KP", "IR"] })
  const [us, de, kp, silent] = await Promise.all([
    walletWith({ country: "US" }),
    walletWith({ country: "DE" }),
    walletWith({ country: "KP" }),
    walletWith({}),
  ])
  await admitted(tokens.mint(allowing, us, 10))
  await admitted(tokens.mint(blocking, us, 10))
  await admitted(tokens.mint(blocking, de, 10))
  for (const [config, wallet] of [
    [allowing, de],
    [allowing, silent],
    [blocking, kp],
    [blocking, silent],
  ] as const) {
    await refused(config, "country_not_allowed", () => tokens.mint(config, wallet, 1))
    await refused(config, "country_not_allowed", () => tokens.transfer(config, us, wallet, 1))
    await refused(config, "country_not_allowed", () => tokens.transfer(config, wallet, us, 1))
  }
  await admitted(tokens.transfer(blocking, us, de, 1))
})

test("not_accredited: investors who are not known to be accredited are refused", async () => {
  const config = await tokens.config({ require_accredited: true })
  const [rich, richer, lay, silent] = await Promise.all([
    walletWith({ accredited: true }),
    walletWith({ accredited: true }),
    walletWith({ accredited: false }),
    walletWith({ country: "US" }),
  ])
  await admitted(tokens.mint(config, rich, 10))
  for (const wallet of [lay, silent]) {
    await refused(config, "not_accredited", () => tokens.mint(config, wallet, 1))
    await refused(config, "not_accredited", () => tokens.transfer(config, rich, wallet, 1))
  }
  await admitted(tokens.transfer(config, rich, richer, 1))
})

test("erased claims count as missing: the wallet stays verified, but rules that need claims refuse it", async () => {
  const [open, asking] = [await tokens.config(), await tokens.config({ allowed_countries: ["US"] })]
  const wallet = await walletWith({ country: "US" })
  await admitted(tokens.mint(asking, wallet, 1))
  await sql`
    update attestations set claims = null, salt = null
    where workspace_id = ${key.workspaceId} and wallet = ${wallet}`
  await refused(asking, "country_not_allowed", () => tokens.mint(asking, wallet, 1))
  await admitted(tokens.mint(open, wallet, 1))
})

test("supply_cap_exceeded: mints reach the limit, and not one base unit more", async () => {
  const config = await tokens.config({ max_supply: "100.5" }, { decimals: 1 })
  const [alice, bob] = await tokens.wallets(2)
  await refused(config, "supply_cap_exceeded", () => tokens.mint(config, alice, "100.6"))
  await admitted(tokens.mint(config, alice, "100.4"))
  const { json } = await refused(config, "supply_cap_exceeded", () => tokens.mint(config, bob, "0.2"))
  expect(json.detail).toMatch(/^amount: 0\.1 of the supply of 100\.5 /)
  await admitted(tokens.mint(config, bob, "0.1"))
  await admitted(tokens.transfer(config, alice, bob, "100.4"))
  expect(await tokens.supply(config)).toBe(1005n)
})

test("supply_cap_exceeded: no mint on Solana holds more than 2^64 − 1 base units", async () => {
  const config = await tokens.config()
  const [alice, bob] = await tokens.wallets(2)
  await admitted(tokens.mint(config, alice, "18446744073709551615"))
  await refused(config, "supply_cap_exceeded", () => tokens.mint(config, bob, 1))
  await admitted(tokens.transfer(config, alice, bob, "18446744073709551615"))
  expect(await tokens.onChain(config, bob)).toBe(2n ** 64n - 1n)
})

test("holder_limit_reached: at the limit, a new holder is accepted only in the slot of one who leaves", async () => {
  const config = await tokens.config({ max_holders: 2 })
  const [alice, bob, carol] = await tokens.wallets(3)
  await admitted(tokens.mint(config, alice, 10))
  await admitted(tokens.mint(config, bob, 10))
  await refused(config, "holder_limit_reached", () => tokens.mint(config, carol, 1))
  await refused(config, "holder_limit_reached", () => tokens.transfer(config, alice, carol, 9))
  await admitted(tokens.mint(config, bob, 1))
  await admitted(tokens.transfer(config, alice, bob, 1))

  await admitted(tokens.transfer(config, alice, carol, 9))
  expect((await tokens.get(`/mint-config/${config}`)).json.holders).toBe(2)
  await refused(config, "holder_limit_reached", () => tokens.mint(config, alice, 1))
  await refused(config, "holder_limit_reached", () => tokens.transfer(config, bob, alice, 1))

  await admitted(tokens.transfer(config, carol, bob, 9))
  expect((await tokens.get(`/mint-config/${config}`)).json.holders).toBe(1)
  await admitted(tokens.mint(config, alice, 1))
})

test("balance_limit_exceeded: minting and transfers reach the limit, and not more", async () => {
  const config = await tokens.config({ max_balance_per_wallet: "10" })
  const [alice, bob] = await tokens.wallets(2)
  await refused(config, "balance_limit_exceeded", () => tokens.mint(config, alice, 11))
  await admitted(tokens.mint(config, alice, 10))
  await refused(config, "balance_limit_exceeded", () => tokens.mint(config, alice, 1))
  await admitted(tokens.mint(config, bob, 4))
  await refused(config, "balance_limit_exceeded", () => tokens.transfer(config, alice, bob, 7))
  await admitted(tokens.transfer(config, alice, bob, 6))
})

test("insufficient_balance: a wallet can transfer everything it has, and not one base unit more", async () => {
  const config = await tokens.config({}, { decimals: 2 })
  const [alice, bob] = await tokens.wallets(2)
  await refused(config, "insufficient_balance", () => tokens.transfer(config, alice, bob, "0.01"))
  await admitted(tokens.mint(config, alice, "1.5"))
  const { json } = await refused(config, "insufficient_balance", () => tokens.transfer(config, alice, bob, "1.51"))
  expect(json.detail).toMatch(/can move 1\.5 at most/)
  await admitted(tokens.transfer(config, alice, bob, "1.5"))
  expect([await tokens.onChain(config, alice), await tokens.onChain(config, bob)]).toEqual([0n, 150n])
})

test("insufficient_balance is also returned in holder mode, where only the chain knows balances", async () => {
  const config = await tokens.config({}, { transfer_mode: "holder" })
  const [alice, bob] = await tokens.wallets(2)
  await admitted(tokens.mint(config, alice, 5))
  const tooMuch = await tokens.transfer(config, alice, bob, 6)
  expect([tooMuch.status, tooMuch.json.error]).toEqual([422, "insufficient_balance"])
  await admitted(tokens.transfer(config, alice, bob, 5))
  expect(await tokens.onChain(config, bob)).toBe(5n)
})

test("unknown_mint_config: any unknown id in a body, whatever its form", async () => {
  const wallet = await walletWith({})
  for (const id of ["none_v1", "NONE", "", "x".repeat(200), "a\u0000", "__proto__", "us_real_estate_fund_v1 "]) {
    const minted = await tokens.mint(id, wallet, 1)
    expect([minted.status, minted.json.error]).toEqual([422, "unknown_mint_config"])
    const moved = await tokens.transfer(id, wallet, newWallet(), 1)
    expect([moved.status, moved.json.error]).toEqual([422, "unknown_mint_config"])
    expect(moved.json.detail).toMatch(/^mint_config: /)
  }
})

describe("amounts", () => {
  let config: string
  let alice: string
  let bob: string
  beforeAll(async () => {
    config = await tokens.config({}, { decimals: 1 })
    ;[alice, bob] = await tokens.wallets(2)
    await admitted(tokens.mint(config, alice, "1000000"))
  })

  /** A body that contains the amount in exactly these characters. */
  const raw = (path: string, body: object, amount: string) =>
    tokens.post(path, undefined, {
      headers: { "content-type": "application/json" },
      body: `${JSON.stringify({ ...body, mint_config: config }).slice(0, -1)},"amount":${amount}}`,
    })

  const texts = ["", "0", "0.0", "-1", "+1", "01", "1.", ".5", "1e3", "0x10", "1,000", " 1", "1 ", "1_0", "NaN"]
  const numbers = ["0", "-0", "0.0", "-1", "-0.5", "1e3", "1E3", "1e-1", "1.0e0", "1e400", "0.55", "1.00"]
  const tooMuch = ["1844674407370955161.6", "18446744073709551616", "9".repeat(400)]

  test.each([
    ...[...texts, ...tooMuch, "0.55", "1.00", "١", "Infinity", "\u0000"].map((text) => JSON.stringify(text)),
    ...[...numbers, ...tooMuch],
    ...["true", "false", "null", "[]", "[1]", "{}", '{"amount":1}'],
  ])("an invalid amount is invalid_amount: %s", async (amount) => {
    for (const [path, body] of [
      ["/token/mint", { user_pubkey: bob }],
      ["/token/transfer", { from_pubkey: alice, to_pubkey: bob }],
    ] as const) {
      const { json } = await refused(config, "invalid_amount", () => raw(path, body, amount))
      expect(json.detail).toMatch(/^amount: /)
    }
  })

  test("a missing amount is refused, and the error names the field", async () => {
    const body = { user_pubkey: bob, mint_config: config }
    const { json } = await refused(config, "validation_failed", () => tokens.post("/token/mint", body))
    expect(json.detail).toBe("amount: required.")
  })

  test.each([
    ["1", "1"],
    ["0.1", "0.1"],
    ["10.0", "10"],
    ['"10.0"', "10"],
    ['"0.1"', "0.1"],
    ["1000", "1000"],
    // A double would round this to 4503599627370495.5 or …496.
    ["4503599627370495.7", "4503599627370495.7"],
    ["9007199254740993", "9007199254740993"],
  ])("%s is kept to the last digit", async (amount, told) => {
    const before = await tokens.onChain(config, bob)
    const response = await admitted(raw("/token/mint", { user_pubkey: bob }, amount))
    expect(response.json.amount).toBe(told)
    const [whole, tenths = "0"] = told.split(".") as [string, string?]
    expect((await tokens.onChain(config, bob)) - before).toBe(BigInt(whole + tenths))
  })
})

test("a transfer to oneself is refused, and the error names the field", async () => {
  const config = await tokens.config()
  const wallet = await walletWith({})
  await admitted(tokens.mint(config, wallet, 5))
  const { json } = await refused(config, "validation_failed", () => tokens.transfer(config, wallet, wallet, 1))
  expect(json.detail).toMatch(/^to_pubkey: /)
})

test("the first violation is returned: a paused configuration before an unverified wallet, and that before the supply", async () => {
  const config = await tokens.config({ max_supply: "1", allowed_countries: ["US"] })
  const german = await walletWith({ country: "DE" })
  await refused(config, "wallet_not_verified", () => tokens.mint(config, newWallet(), 5))
  await refused(config, "country_not_allowed", () => tokens.mint(config, german, 5))
  await tokens.post(`/mint-config/${config}/pause`, {})
  await refused(config, "mint_paused", () => tokens.mint(config, newWallet(), 5))
})
