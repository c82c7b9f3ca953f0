import {
  AccountState,
  ExtensionType,
  getDefaultAccountState,
  getExtensionTypes,
  getMetadataPointerState,
  getMint,
  getPermanentDelegate,
  getTokenMetadata,
  TOKEN_2022_PROGRAM_ID,
} from "@solana/spl-token"
import { PublicKey } from "@solana/web3.js"
import { expect, test } from "vitest"
import { isCountry } from "#shared/countries.ts"
import { fund, tokenFixture } from "#test/fixtures/tokens.ts"
import { app, tokens, usesCustomer } from "#test/fixtures/uses-app.ts"

usesCustomer()

const create = (body: object, headers?: Record<string, string>) =>
  tokens.post("/mint-configs", body, headers ? { headers } : {})

let made = 0
const freshId = () => `config_${++made}`

const onChain = async (mint: string) => {
  const address = new PublicKey(mint)
  const account = await getMint(app.connection, address, "confirmed", TOKEN_2022_PROGRAM_ID)
  const metadata = await getTokenMetadata(app.connection, address, "confirmed", TOKEN_2022_PROGRAM_ID)
  return { account, metadata: metadata!, extensions: getExtensionTypes(account.tlvData) }
}

test("creating a configuration returns its mint, which is on chain as configured", async () => {
  const config = {
    id: freshId(),
    name: "Süd 東 Fund",
    symbol: "SUED.1",
    decimals: 9,
    required_schema: "accredited_investor_v1",
    rules: { max_supply: "12.000000001", allowed_countries: ["US"], max_holders: 3 },
  }
  const { status, json } = await create(config)
  expect(status).toBe(200)
  expect(json).toEqual({
    ...config,
    transfer_mode: "agent",
    mint: expect.any(String),
    extensions: ["pausable", "scaled_ui_amount"],
    supply: "0",
    holders: 0,
    investors: null,
    paused: false,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
  })
  const { account, metadata, extensions } = await onChain(json.mint)
  expect(account).toMatchObject({ decimals: 9, supply: 0n, isInitialized: true })
  expect([...extensions].sort()).toEqual(
    [
      ExtensionType.PermanentDelegate,
      ExtensionType.DefaultAccountState,
      ExtensionType.MetadataPointer,
      ExtensionType.TokenMetadata,
      ExtensionType.PausableConfig,
      ExtensionType.ScaledUiAmountConfig,
    ].sort(),
  )
  const authority = account.mintAuthority!
  expect(account.freezeAuthority).toEqual(authority)
  expect(getPermanentDelegate(account)!.delegate).toEqual(authority)
  expect(getDefaultAccountState(account)!.state).toBe(AccountState.Frozen)
  expect(getMetadataPointerState(account)!.metadataAddress).toEqual(account.address)
  expect(metadata).toMatchObject({ name: config.name, symbol: config.symbol, uri: "" })
  expect(metadata.additionalMetadata).toEqual([["mint_config", config.id]])
})

test("in holder mode, the mint itself can also be paused", async () => {
  const { json } = await create({ ...fund(freshId()), transfer_mode: "holder", rules: { max_supply: "5" } })
  expect(json.transfer_mode).toBe("holder")
  const { extensions } = await onChain(json.mint)
  expect(extensions).toContain(ExtensionType.PausableConfig)
})

test.each([
  ["the shortest", { id: "0", name: "F", symbol: "F", decimals: 0 }],
  ["the longest", { id: `z${"_".repeat(63)}`, name: "F".repeat(64), symbol: "F".repeat(10), decimals: 9 }],
  ["the widest", { id: "wide", name: "é".repeat(48) }],
  [
    "one with every rule",
    {
      id: "all_rules",
      rules: {
        allowed_countries: ["US", "CA"],
        blocked_countries: ["KP"],
        require_accredited: true,
        max_supply: "18446744073709551615",
        max_holders: 1_000_000_000,
        max_balance_per_wallet: "1",
        transfers_locked_until: "2027-01-01T00:00:00Z",
      },
    },
  ],
  ["one without rules", { id: "no_rules", rules: {} }],
])("%s configuration fits in a transaction, and its record equals the request", async (_name, more) => {
  const config = { ...fund("x"), ...more }
  const { status, json } = await create(config)
  expect(status).toBe(200)
  expect(json).toMatchObject(config)
  expect((await onChain(json.mint)).metadata.name).toBe(config.name)
})

test("an id that is taken is mint_config_exists, whatever else differs, and only in this workspace", async () => {
  const id = freshId()
  const body = fund(id)
  expect((await create(body)).status).toBe(200)
  for (const again of [body, { ...body, name: "Other" }, { ...body, required_schema: "none_v1" }]) {
    const { status, json } = await create(again)
    expect([status, json.error]).toEqual([409, "mint_config_exists"])
    expect(json.detail).toContain(id)
  }
  const other = await app.key()
  const theirs = await app.request({ method: "POST", path: "/mint-configs", key: other.apiKey, json: body })
  expect(theirs.status).toBe(200)
})

test("if many requests create the same id at once, one succeeds", async () => {
  const id = freshId()
  const answers = await Promise.all(Array.from({ length: 20 }, () => create(fund(id))))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)])
})

test.each(["none_v1", "", "KYC_INDIVIDUAL_V1", "x".repeat(300)])(
  "an unknown schema is unknown_schema: %j",
  async (schema) => {
    const { status, json } = await create({ ...fund(freshId()), required_schema: schema })
    expect([status, json.error]).toEqual([422, "unknown_schema"])
    expect(json.detail).toMatch(/^required_schema: /)
  },
)

const rules = (one: object) => ({ rules: one })
const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"]
const EVERYWHERE = letters.flatMap((one) => letters.map((other) => one + other)).filter(isCountry)
test.each<[string, object]>([
  ["id", { id: "" }],
  ["id", { id: "Upper" }],
  ["id", { id: "_first" }],
  ["id", { id: "with-dash" }],
  ["id", { id: "x".repeat(65) }],
  ["id", { id: 1 }],
  ["name", { name: "" }],
  ["name", { name: " \u3000" }],
  ["name", { name: "x".repeat(65) }],
  ["name", { name: "東".repeat(33) }],
  ["name", { name: "line\nbreak" }],
  ["name", { name: "half \ud83d pair" }],
  ["symbol", { symbol: "" }],
  ["symbol", { symbol: "TOOLONGSYMB" }],
  ["symbol", { symbol: "A B" }],
  ["decimals", { decimals: -1 }],
  ["decimals", { decimals: 10 }],
  ["decimals", { decimals: 1.5 }],
  ["decimals", { decimals: "6" }],
  ["decimals", { decimals: null }],
  ["transfer_mode", { transfer_mode: "free" }],
  ["transfer_mode", { transfer_mode: null }],
  ["required_schema", { required_schema: null }],
  ["extra", { extra: 1 }],
  ["paused", { paused: true }],
  ["mint", { mint: "x" }],
  ["rules", { rules: null }],
  ["rules", { rules: [] }],
  ["rules.max_holder", rules({ max_holder: 5 })],
  ["rules.__proto__", JSON.parse('{"rules": {"__proto__": 1}}')],
  ["rules.allowed_countries", rules({ allowed_countries: [] })],
  ["rules.allowed_countries", rules({ allowed_countries: "US" })],
  ["rules.allowed_countries.0", rules({ allowed_countries: ["us"] })],
  ["rules.allowed_countries.1", rules({ allowed_countries: ["US", "USA"] })],
  ["rules.blocked_countries.0", rules({ blocked_countries: [null] })],
  ["rules.blocked_countries", rules({ allowed_countries: ["US", "CA"], blocked_countries: ["CA", "KP", "US"] })],
  ["rules.blocked_countries", rules({ blocked_countries: EVERYWHERE })],
  ["rules.blocked_countries", rules({ allowed_countries: EVERYWHERE, blocked_countries: EVERYWHERE })],
  ["rules.require_accredited", rules({ require_accredited: "yes" })],
  ["rules.max_supply", rules({ max_supply: 1000 })],
  ["rules.max_supply", rules({ max_supply: "0" })],
  ["rules.max_supply", rules({ max_supply: "-1" })],
  ["rules.max_supply", rules({ max_supply: "1e3" })],
  ["rules.max_supply", rules({ max_supply: "0.1" })],
  ["rules.max_supply", rules({ max_supply: "18446744073709551616" })],
  ["rules.max_balance_per_wallet", rules({ max_balance_per_wallet: "0.5" })],
  ["rules.max_balance_per_wallet", rules({ max_balance_per_wallet: null })],
  ["rules.max_holders", rules({ max_holders: 0 })],
  ["rules.max_holders", rules({ max_holders: 1.5 })],
  ["rules.max_holders", rules({ max_holders: "5" })],
  ["rules.max_holders", rules({ max_holders: 1e10 })],
  ["rules.transfers_locked_until", rules({ transfers_locked_until: "2027-01-01" })],
  ["rules.transfers_locked_until", rules({ transfers_locked_until: "2027-02-30T00:00:00Z" })],
  ["rules.transfers_locked_until", rules({ transfers_locked_until: "2027-01-01T00:00:00+01:00" })],
  ["rules.transfers_locked_until", rules({ transfers_locked_until: 1800000000 })],
  ["rules.max_holders", { transfer_mode: "holder", ...rules({ max_holders: 5 }) }],
  ["rules.max_balance_per_wallet", { transfer_mode: "holder", ...rules({ max_balance_per_wallet: "5" }) }],
  [
    "rules.transfers_locked_until",
    { transfer_mode: "holder", ...rules({ transfers_locked_until: "2027-01-01T00:00:00Z" }) },
  ],
  ...["ZZ", "XX", "EU", "UK", "SU", "AN", "us", "USA", "", null, 1].flatMap((country): [string, object][] => [
    ["rules.allowed_countries.0", rules({ allowed_countries: [country] })],
    ["rules.blocked_countries.1", rules({ blocked_countries: ["US", country] })],
  ]),
])("validation_failed names the field %s in %j", async (field, more) => {
  const before = (await tokens.get("/mint-configs")).text
  const { status, json } = await create({ ...fund(freshId()), ...more })
  expect([status, json.error]).toEqual([422, "validation_failed"])
  expect(json.detail.slice(0, field.length + 2)).toBe(`${field}: `)
  expect((await tokens.get("/mint-configs")).text).toBe(before)
})

test("a token for a single country can also block all others", async () => {
  const blocked_countries = EVERYWHERE.filter((country) => country !== "US")
  expect((await create({ ...fund(freshId()), ...rules({ blocked_countries }) })).status).toBe(200)
})

test.each(["id", "name", "symbol", "decimals", "required_schema"])(
  "a configuration without %s is refused as missing it",
  async (field) => {
    const { [field as "id"]: _gone, ...rest } = fund(freshId())
    expect((await create(rest)).json).toMatchObject({
      error: "validation_failed",
      detail: `${field}: required.`,
    })
  },
)

test("a workspace has at most 100 configurations, even with simultaneous requests", async () => {
  const full = tokenFixture(app, await app.key())
  // All requests wait for one row. Those that wait too long get 503 and have created nothing.
  const made = async (id: string) => {
    for (;;) {
      const answer = await full.post("/mint-configs", fund(id), { headers: { prefer: "respond-async" } })
      if (answer.status !== 503) return answer
    }
  }
  const answers = await Promise.all(Array.from({ length: 110 }, (_, i) => made(`one_of_${i}`)))
  const refused = answers.filter(({ status }) => status === 422)
  // One existed from the start.
  expect(refused).toHaveLength(11)
  for (const { json } of refused) expect(json).toMatchObject({ error: "validation_failed" })
  expect(refused[0]!.json.detail).toContain("100")
  expect((await full.get("/mint-configs")).json.data).toHaveLength(100)
  const again = await full.post("/mint-configs", fund("us_real_estate_fund_v1"))
  expect(again.json.error).toBe("mint_config_exists")
})

test("with respond-async, creating returns 202 without a mint, and minting can start immediately", async () => {
  const id = freshId()
  const [wallet] = await tokens.wallets(1)
  const { status, json } = await create(fund(id), { prefer: "respond-async" })
  expect(status).toBe(202)
  expect(json).toMatchObject({ id, mint: null, supply: "0", holders: 0 })
  expect((await tokens.mint(id, wallet, 5)).status).toBe(200)
  const { mint } = (await tokens.get(`/mint-config/${id}`)).json
  expect((await onChain(mint)).account.supply).toBe(5n)
})

test("decimals are read from their digits: 6.0 is 6, and a value that only a double rounds to 6 is refused", async () => {
  const send = (id: string, decimals: string) =>
    tokens.post("/mint-configs", undefined, {
      headers: { "content-type": "application/json", prefer: "respond-async" },
      body: JSON.stringify(fund(id)).replace('"decimals":0', `"decimals":${decimals}`),
    })
  for (const decimals of ["6.0", "6e0", "60e-1"]) {
    const { status, json } = await send(freshId(), decimals)
    expect([status, json.decimals], decimals).toEqual([202, 6])
  }
  const none = ["6.0000000000000001", "5.9999999999999999999", "1e-400", "9007199254740993", "1e400", '"6"', "10", "-1"]
  for (const decimals of none) {
    const { status, json } = await send(freshId(), decimals)
    expect([status, json.error], decimals).toEqual([422, "validation_failed"])
    expect(json.detail).toBe("decimals: must be a whole number between 0 and 9.")
  }
})
