import { PublicKey, SystemProgram } from "@solana/web3.js"
import { expect, test } from "vitest"
import { newId } from "#server/lib/ids.ts"
import { newWallet } from "#test/fixtures/app.ts"
import type { Sent } from "#test/fixtures/http.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"
import { expectError } from "#test/matchers/answers.ts"

usesCustomer({ environment: { VOUCH_ROLE: "web" } })

const start = (sent: Partial<Sent>) => app.request({ method: "POST", path: "/kyc/start", key: key.apiKey, ...sent })
const mint = (json: object) => app.request({ method: "POST", path: "/token/mint", key: key.apiKey, json })
const transfer = (json: object) => app.request({ method: "POST", path: "/token/transfer", key: key.apiKey, json })
const ONE = { mint_config: "us_real_estate_fund_v1", amount: 1 }
const body = () => ({ userPubkey: newWallet(), schemaId: "kyc_individual_v1" })

test.each([
  ["userPubkey", {}],
  ["schemaId", { userPubkey: newWallet() }],
  ["userPubkey", { userPubkey: null, schemaId: "kyc_individual_v1" }],
  ["userPubkey", { userPubkey: [newWallet()], schemaId: "kyc_individual_v1" }],
  ["schemaId", { userPubkey: newWallet(), schemaId: 1 }],
  ["user_pubkey", { ...body(), user_pubkey: newWallet() }],
  ["__proto__", JSON.parse(`{"__proto__": {}, "userPubkey": "${newWallet()}", "schemaId": "kyc_individual_v1"}`)],
  ["constructor", { ...body(), constructor: {} }],
  ["externalId", { ...body(), externalId: "" }],
  ["externalId", { ...body(), externalId: "x".repeat(201) }],
  ["externalId", { ...body(), externalId: "a\u0000b" }],
  ["externalId", { ...body(), externalId: "investor\u202e1174" }],
  ["externalId", { ...body(), externalId: "investor\u200b4711" }],
  ["externalId", { ...body(), externalId: "investor\u{e0041}4711" }],
  ["externalId", { ...body(), externalId: "line\nbreak" }],
  ["externalId", { ...body(), externalId: "half \ud83d pair" }],
  ["redirectUrl", { ...body(), redirectUrl: "http://example.com/" }],
  ["redirectUrl", { ...body(), redirectUrl: "https://user:secret@example.com/" }],
  ["redirectUrl", { ...body(), redirectUrl: "javascript:alert(1)" }],
  ["redirectUrl", { ...body(), redirectUrl: "//example.com" }],
  ["redirectUrl", { ...body(), redirectUrl: "https://" }],
  ["redirectUrl", { ...body(), redirectUrl: "http://localhost.example.com/" }],
  ["redirectUrl", { ...body(), redirectUrl: "https://example.com/\u0000" }],
])("validation_failed: %s in %j", async (field, sent) => {
  expectError(await start({ json: sent }), "validation_failed", new RegExp(`^${field}: `))
})

test.each(["https://example.com/done?a=1#b", "http://localhost:8080/x", "http://127.0.0.1/", "http://[::1]/"])(
  "redirectUrl may be %s",
  async (redirectUrl) => {
    expect((await start({ json: { ...body(), redirectUrl } })).status).toBe(200)
  },
)

test.each([
  ["POST", "/kyc/start?schemaId=kyc_individual_v1", "schemaId"],
  ["GET", "/usage?x", "x"],
  ["GET", "/health?x=1", "x"],
  ["GET", "/openapi.json?v=2", "v"],
  ["GET", "/attestations?stauts=pending", "stauts"],
  ["GET", "/attestations?constructor=x", "constructor"],
  ["GET", "/attestations?limit=5&limit=5", "limit"],
  ["GET", "/attestations?limit=5&%6cimit=6", "limit"],
  ["GET", `/kyc/status/${newWallet()}?pubkey=x`, "pubkey"],
  ["GET", "/token/operations?wallet=x", "wallet"],
  ["GET", "/token/operations?status=done", "status"],
  ["GET", "/token/operations?limit=101", "limit"],
  ...["05", "+5", "%2B5", "%205", "5%20", "5.0", "5.", "1e1", "0x5", "-5", "0", "5%00", "\u0665", ""].map((limit) => [
    "GET",
    `/attestations?limit=${encodeURI(limit).replaceAll("%25", "%")}`,
    "limit",
  ]),
  ["GET", "/token/operations?cursor=x", "cursor"],
  ["GET", `/token/operation/${newId("op")}?x=1`, "x"],
  ["GET", `/token/balance/${newWallet()}`, "mint_config"],
  ["GET", "/mint-configs?limit=1", "limit"],
  ["POST", "/token/mint?amount=1", "amount"],
  ["POST", "/token/preflight?kind=mint", "kind"],
  ["POST", "/mint-config/us_real_estate_fund_v1/pause?x=1", "x"],
])("validation_failed: the query of %s %s", async (method, path, parameter) => {
  const payload = method === "POST" ? { json: body() } : {}
  const response = await app.request({ method, path, key: key.apiKey, ...payload })
  expectError(response, "validation_failed", new RegExp(`^${parameter}: `))
})

test("validation_failed: the detail names every unknown field and every wrong known one", async () => {
  const response = await start({ json: { userPubkey: 1, colour: 1, schemaID: "x" } })
  expectError(response, "validation_failed", /^colour: unknown field\./)
  expect(response.json.detail).toContain("schemaID: unknown field. Did you mean schemaId?")
  expect(response.json.detail).toContain("userPubkey: must be a string.")
  expect(response.json.detail).not.toContain("schemaId: required")
  const many = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`${i}${"x".repeat(10)}`, 1]))
  const refused = await start({ json: { ...body(), ...many } })
  expectError(refused, "validation_failed", /more fields are wrong\.$/)
})

test("validation_failed: the detail names every query parameter that is unknown, repeated or wrong", async () => {
  const path = "/attestations?stauts=x&colour=1&limit=5&limit=6&status=none"
  const { json } = await app.request({ method: "GET", path, key: key.apiKey })
  for (const part of ["stauts: unknown", "colour: unknown", "limit: send this parameter once.", "status: must"])
    expect(json.detail).toContain(part)
})

test.each([
  ["the System Program", SystemProgram.programId.toBase58()],
  ["the incinerator", "1nc1nerator11111111111111111111111111111111"],
  ["a sysvar", "SysvarC1ock11111111111111111111111111111111"],
  ["Token-2022", "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"],
  ["the token program", "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"],
  ["associated accounts", "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL"],
  ["the memo program", "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr"],
  ["31 bytes", "1".repeat(31)],
  ["33 bytes", "1".repeat(33)],
  ["not base58", "0OIl".repeat(11)],
  ["an Ethereum address", "0x52908400098527886E0F7030069857D2E4169EE7"],
  ["with a space", ` ${newWallet()}`],
  ["empty", ""],
  ["huge", "1".repeat(60_000)],
])("invalid_public_key: %s", async (_name, userPubkey) => {
  const started = await start({ json: { ...body(), userPubkey } })
  expectError(started, "invalid_public_key", /^userPubkey: /)
  if (userPubkey === "" || userPubkey.length > 1000) return
  const encoded = encodeURIComponent(userPubkey)
  const read = await app.request({ method: "GET", path: `/kyc/status/${encoded}`, key: key.apiKey })
  expectError(read, "invalid_public_key", /^pubkey: /)
  for (const path of [
    `/attestations?pubkey=${encoded}`,
    `/token/operations?pubkey=${encoded}`,
    `/token/balance/${encoded}?mint_config=us_real_estate_fund_v1`,
  ]) {
    const response = await app.request({ method: "GET", path, key: key.apiKey })
    expectError(response, "invalid_public_key", /^pubkey: /)
  }
  const more = { mint_config: "us_real_estate_fund_v1", amount: 1 }
  expectError(await mint({ ...more, user_pubkey: userPubkey }), "invalid_public_key", /^user_pubkey: /)
  const [gives, receives] = [
    { ...more, from_pubkey: userPubkey, to_pubkey: newWallet() },
    { ...more, from_pubkey: newWallet(), to_pubkey: userPubkey },
  ]
  expectError(await transfer(gives), "invalid_public_key", /^from_pubkey: /)
  expectError(await transfer(receives), "invalid_public_key", /^to_pubkey: /)
})

test.each([
  ["user_pubkey", {}],
  ["mint_config", { user_pubkey: newWallet() }],
  ["amount", { user_pubkey: newWallet(), mint_config: "us_real_estate_fund_v1" }],
  ["user_pubkey", { user_pubkey: null, mint_config: "us_real_estate_fund_v1", amount: 1 }],
  ["mint_config", { user_pubkey: newWallet(), mint_config: 1, amount: 1 }],
  ["memo", { user_pubkey: newWallet(), mint_config: "us_real_estate_fund_v1", amount: 1, memo: "x" }],
])("validation_failed: %s of a mint, in %j", async (field, sent) => {
  expectError(await mint(sent), "validation_failed", new RegExp(`^${field}: `))
})

test.each([
  ["from_pubkey", {}],
  ["to_pubkey", { from_pubkey: newWallet() }],
  ["user_pubkey", { from_pubkey: newWallet(), to_pubkey: newWallet(), user_pubkey: newWallet(), ...ONE }],
])("validation_failed: %s of a transfer, in %j", async (field, sent) => {
  expectError(await transfer(sent), "validation_failed", new RegExp(`^${field}: `))
})

test.each(["none_v1", "", "US_REAL_ESTATE_FUND_V1", "x'; drop table mint_configs; --", "x".repeat(5000), "\u0000"])(
  "unknown_mint_config: %j",
  async (id) => {
    const sent = { mint_config: id, amount: 1 }
    const detail = /^mint_config: /
    expectError(await mint({ ...sent, user_pubkey: newWallet() }), "unknown_mint_config", detail)
    const both = { from_pubkey: newWallet(), to_pubkey: newWallet() }
    expectError(await transfer({ ...sent, ...both }), "unknown_mint_config", detail)
    const query = `mint_config=${encodeURIComponent(id)}`
    for (const path of [`/token/operations?${query}`, `/token/balance/${newWallet()}?${query}`]) {
      const response = await app.request({ method: "GET", path, key: key.apiKey })
      expectError(response, "unknown_mint_config", detail)
    }
  },
)

test.each(["0", "-1", "1e3", "0.0000001", "18446744073709.551616", true, null, [], {}])(
  "invalid_amount: %j",
  async (amount) => {
    const sent = { mint_config: "us_real_estate_fund_v1", amount }
    expectError(await mint({ ...sent, user_pubkey: newWallet() }), "invalid_amount", /^amount: /)
    const both = { from_pubkey: newWallet(), to_pubkey: newWallet() }
    expectError(await transfer({ ...sent, ...both }), "invalid_amount", /^amount: /)
  },
)

test("wallet_not_verified: the answer names the wallet and says what to do", async () => {
  const wallet = newWallet()
  expectError(await mint({ user_pubkey: wallet, ...ONE }), "wallet_not_verified", /POST \/kyc\/start/)
  expectError(await mint({ user_pubkey: wallet, ...ONE }), "wallet_not_verified", new RegExp(wallet))
})

test("mint_config_exists: an id that is taken", async () => {
  const config = { name: "Fund", symbol: "FUND", decimals: 0, required_schema: "kyc_individual_v1" }
  const json = { id: "us_real_estate_fund_v1", ...config }
  const response = await app.request({ method: "POST", path: "/mint-configs", key: key.apiKey, json })
  expectError(response, "mint_config_exists", /^id: .*us_real_estate_fund_v1/)
})

test("a wallet off the curve is accepted", async () => {
  const [smart] = PublicKey.findProgramAddressSync([Buffer.from("vault")], new PublicKey(newWallet()))
  const response = await start({ json: { ...body(), userPubkey: smart.toBase58() } })
  expect(response.status).toBe(200)
})

test.each(["kyc_individual_v2", "", "KYC_INDIVIDUAL_V1", "x'; drop table schemas; --", "x".repeat(5000), "\u0000"])(
  "unknown_schema: %j",
  async (schemaId) => {
    expectError(await start({ json: { ...body(), schemaId } }), "unknown_schema", /^schemaId: /)
    const query = `schema=${encodeURIComponent(schemaId)}`
    for (const path of [`/kyc/status/${newWallet()}?${query}`, `/attestations?${query}`]) {
      const response = await app.request({ method: "GET", path, key: key.apiKey })
      expectError(response, "unknown_schema", /^schema: /)
    }
  },
)

test("each wrong field is named once, up to a limit, and the rest are counted", async () => {
  const response = await start({ json: { schemaId: 1, redirectUrl: 2, externalId: 3 } })
  expect(response.status).toBe(422)
  for (const field of ["userPubkey: ", "schemaId: ", "redirectUrl: ", "externalId: "])
    expect(response.json.detail.split(field), field).toHaveLength(2)
  const rules = { max_holders: "x", allowed_countries: Array.from({ length: 20 }, () => "nowhere") }
  const config = { id: "f", name: "Fund", symbol: "F", decimals: 0, required_schema: "kyc_individual_v1" }
  const json = { ...config, rules }
  const many = await app.request({ method: "POST", path: "/mint-configs", key: key.apiKey, json })
  const { detail } = many.json
  const [, others] = /(\d+) more fields are wrong\.$/.exec(detail) ?? []
  expect(detail.match(/rules\./g).length + Number(others)).toBe(21)
  expect(detail.length).toBeLessThan(900)
})
