import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { newId } from "#server/lib/ids.ts"
import type { Address } from "#shared/address.ts"
import { allScopes, type Scope } from "#shared/scopes.ts"
import { newWallet } from "#test/fixtures/app.ts"
import { document_sha256, grounds } from "#test/fixtures/grounds.ts"
import type { Response, Sent } from "#test/fixtures/http.ts"
import { member } from "#test/fixtures/people.ts"
import { app, key, tokens, usesCustomer } from "#test/fixtures/uses-app.ts"
import { expectError } from "#test/matchers/answers.ts"
import { snapshot } from "#test/matchers/snapshot.ts"

usesCustomer()

const ask = (json: object, more: Partial<Sent> = {}) => tokens.post("/token/preflight", json, more)
const ofMint = (mint_config: string, user_pubkey: string, amount: string) =>
  ask({ kind: "mint", mint_config, user_pubkey, amount })
const ofTransfer = (mint_config: string, from_pubkey: string, to_pubkey: string, amount: string) =>
  ask({ kind: "transfer", mint_config, from_pubkey, to_pubkey, amount })
const burning = (mint_config: string, user_pubkey: string, amount: string) => ({
  ...{ kind: "burn", mint_config, user_pubkey, amount, holder_consent: true, ...grounds },
})
const forcing = (mint_config: string, from_pubkey: string, to_pubkey: string, amount: string) => ({
  ...{ kind: "force_transfer", mint_config, from_pubkey, to_pubkey, amount, document_sha256, ...grounds },
})
const hold = async (mint_config: string, user_pubkey: string, amount: string) =>
  (await tokens.post("/token/holds", { user_pubkey, mint_config, amount, ...grounds })).json.hold_id as string

const outcomes = ({ json }: Response): string[] =>
  json.rules.map((rule: { code: string; outcome: string }) => `${rule.code} ${rule.outcome}`)

const pathOf = { mint: "mint", transfer: "transfer", burn: "burn", force_transfer: "force-transfer" } as const

test("every kind of movement gets its answer, all rules, and what the sender has", async () => {
  const config = await tokens.config({ transfers_locked_until: "2999-01-01T00:00:00Z" }, { decimals: 2 })
  const [alice, bob] = await tokens.wallets(2)
  await tokens.mint(config, alice, "100")
  await hold(config, alice, "30.5")
  const sender = { available: "69.5", locked: "69.5", held: "30.5", next_unlock_at: "2999-01-01T00:00:00Z" }

  const minting = await ofMint(config, bob, "1")
  expect(minting.status).toBe(200)
  expect(minting.json).toEqual({
    allowed: true,
    answer: { status: 200, error: null, detail: null },
    rules: [
      { code: "mint_paused", outcome: "passed", detail: "The token is not paused." },
      { code: "wallet_barred", outcome: "passed", detail: "The wallet was not reported as lost." },
      { code: "wallet_frozen", outcome: "passed", detail: "The wallet is not frozen." },
      {
        code: "wallet_not_verified",
        outcome: "passed",
        detail: "The wallet is verified for kyc_individual_v1.",
      },
      { code: "supply_cap_exceeded", outcome: "passed", detail: "No maximum supply is set." },
    ],
    ...{ available: null, locked: null, held: null, next_unlock_at: null },
    approvals_needed: 0,
  })

  const moving = await ofTransfer(config, alice, bob, "70")
  expect(moving.json).toMatchObject({ allowed: false, ...sender })
  expect(moving.json.answer).toEqual({
    ...{ status: 403, error: "transfers_locked" },
    detail: "Transfers are locked until 2999-01-01T00:00:00Z.",
  })
  expect(outcomes(moving)).toEqual([
    "mint_paused passed",
    "transfers_locked refused",
    "wallet_barred passed",
    "wallet_frozen passed",
    "wallet_not_verified passed",
    "insufficient_balance passed",
    "amount_held refused",
  ])

  const redeeming = await ask(burning(config, alice, "69.5"))
  expect(redeeming.json).toMatchObject({ allowed: true, ...sender })
  expect(outcomes(redeeming)).toEqual([
    "mint_paused passed",
    "transfers_locked overridden",
    "insufficient_balance passed",
    "amount_held passed",
  ])
  const forced = await ask(forcing(config, alice, bob, "69.51"))
  expect(forced.json).toMatchObject({ allowed: false, answer: { error: "amount_held" }, ...sender })
  expect(outcomes(forced)).toContain("transfers_locked overridden")
})

test("once the lock-up is over, nothing is locked", async () => {
  const config = await tokens.config({ transfers_locked_until: "2001-01-01T00:00:00Z" })
  const [alice, bob] = await tokens.wallets(2)
  await tokens.mint(config, alice, "100")
  const { json } = await ofTransfer(config, alice, bob, "100")
  expect(json).toMatchObject({ allowed: true, available: "100", locked: "0", held: "0", next_unlock_at: null })
})

test("in holder mode only the chain knows what is available", async () => {
  const config = await tokens.config({}, { transfer_mode: "holder" })
  const [alice, bob] = await tokens.wallets(2)
  const { json } = await ofTransfer(config, alice, bob, "100")
  expect(json).toMatchObject({ allowed: true, available: null, locked: null, held: "0", next_unlock_at: null })
})

test("it answers while others lock the configuration and the holdings, and writes nothing", async () => {
  const config = await tokens.config({ max_supply: "100" })
  const [alice, bob] = await tokens.wallets(2)
  await tokens.mint(config, alice, "10")
  const about = [
    { kind: "mint", mint_config: config, user_pubkey: bob, amount: "1" },
    { kind: "transfer", mint_config: config, from_pubkey: alice, to_pubkey: bob, amount: "1" },
    burning(config, alice, "1"),
    forcing(config, alice, bob, "1"),
  ]
  const before = await snapshot()
  await sql.begin(async (sql) => {
    const { workspaceId } = key
    await sql`select from workspaces where id = ${workspaceId} for update`
    const configs = await sql`
      select from mint_configs where workspace_id = ${workspaceId} and id = ${config} for update`
    const holdings = await sql`
      select from holdings where workspace_id = ${workspaceId} and mint_config = ${config} for update`
    expect([configs.length, holdings.length]).toEqual([1, 1])
    for (const json of about) expect((await ask(json)).json.answer.status).toBe(200)
  })
  expect(await snapshot()).toEqual(before)
})

test("it ignores Idempotency-Key, which stays unused", async () => {
  const config = await tokens.config()
  const [alice] = await tokens.wallets(1)
  const idempotencyKey = newId("req")
  const asked = { kind: "mint", mint_config: config, user_pubkey: alice }
  for (const amount of ["1", "2"]) {
    const { status, headers } = await ask({ ...asked, amount }, { idempotencyKey })
    expect([status, headers["idempotent-replayed"]]).toEqual([200, undefined])
  }
  expect((await ask({ ...asked, amount: "1" }, { idempotencyKey: "not valid" })).status).toBe(200)
  const minted = await tokens.mint(config, alice, "3", { idempotencyKey })
  expect([minted.status, minted.headers["idempotent-replayed"]]).toEqual([200, undefined])
})

test("a request that could not be read is refused as its endpoint refuses it", async () => {
  const config = await tokens.config()
  const [alice, bob] = await tokens.wallets(2)
  const { mint } = (await tokens.get(`/mint-config/${config}`)).json
  const minting = { kind: "mint", mint_config: config, user_pubkey: alice, amount: "1" } as const
  const moving = {
    kind: "transfer",
    mint_config: config,
    from_pubkey: alice,
    to_pubkey: bob,
    amount: "1",
  } as const
  const burn = { ...burning(config, alice, "1"), kind: "burn" } as const
  const forced = { ...forcing(config, alice, bob, "1"), kind: "force_transfer" } as const
  const { reference: _, ...unexplained } = burn
  const { document_sha256: __, ...undocumented } = forced
  const cases: ({ kind: keyof typeof pathOf } & Record<string, unknown>)[] = [
    { ...minting, mint_config: "none_v1" },
    { ...minting, mint_config: "Not an id" },
    { ...minting, user_pubkey: "not a wallet" },
    { ...minting, user_pubkey: mint },
    { ...minting, amount: "1.5" },
    { ...minting, amount: "-1" },
    { ...minting, amount: 0 },
    { kind: "mint", mint_config: config, amount: "1" },
    { ...moving, to_pubkey: alice },
    { ...moving, to_pubkey: mint },
    { ...burn, holder_consent: false },
    { ...burn, reason_code: "whim" },
    unexplained,
    { ...forced, to_pubkey: alice },
    { ...forced, holds: [] },
    { ...forced, document_sha256: "x" },
    { ...forced, while_paused: "yes" },
    undocumented,
  ]
  const codes = new Set<string>()
  for (const { kind, ...json } of cases) {
    const foretold = await ask({ kind, ...json })
    const actual = await tokens.post(`/token/${pathOf[kind]}`, json)
    const of = ({ status, json }: Response) => ({ status, error: json.error, detail: json.detail })
    expect(of(foretold), JSON.stringify({ kind, ...json })).toEqual(of(actual))
    codes.add(foretold.json.error)
  }
  expect([...codes].sort()).toEqual([
    ...["holder_consent_required", "invalid_amount", "invalid_public_key", "same_wallet", "unknown_mint_config"],
    "validation_failed",
  ])
  // A field that no kind has, and one of another kind.
  expectError(await ask({ ...minting, colour: "red" }), "validation_failed", /^colour: unknown field/)
  expectError(await ask({ ...minting, holds: ["hold_1"] }), "validation_failed", /^holds: unknown field/)
  expectError(await ask({ ...minting, kind: "hold" }), "validation_failed", /^kind: must be one of mint, /)
  const { kind: ___, ...unknown } = minting
  expectError(await ask(unknown), "validation_failed", /^kind: required/)
})

test("another workspace's token and hold do not exist", async () => {
  const config = await tokens.config()
  const [alice] = await tokens.wallets(1)
  await tokens.mint(config, alice, "10")
  const held = await hold(config, alice, "5")
  const other = await app.key()
  const asked = burning(config, alice, "1")
  expectError(await ask(asked, { key: other.apiKey }), "unknown_mint_config", /^mint_config: /)
  await app.request({
    ...{ method: "POST", path: "/mint-configs", key: other.apiKey },
    json: { id: config, name: "Fund", symbol: "FUND", decimals: 0, required_schema: "kyc_individual_v1" },
  })
  const { json } = await ask({ ...asked, holds: [held] }, { key: other.apiKey })
  expect(json).toMatchObject({ allowed: false, available: "0", held: "0", answer: { error: "hold_not_found" } })
})

test("what stops a workspace is the answer, and the rules are listed all the same", async () => {
  const config = await tokens.config()
  const [alice] = await tokens.wallets(1)
  const { workspaceId } = key
  await sql`update workspaces set budget = 0 where id = ${workspaceId}`
  const spent = [await ofMint(config, alice, "1"), await tokens.mint(config, alice, "1")] as const
  await sql`update workspaces set budget = null where id = ${workspaceId}`
  await sql`insert into quarantines (workspace_id, since, differences) values (${workspaceId}, now(), '[]')`
  const stopped = [await ofMint(config, alice, "1"), await tokens.mint(config, alice, "1")] as const
  await sql`delete from quarantines where workspace_id = ${workspaceId}`
  for (const [[foretold, actual], code] of [
    [spent, "sol_budget_exceeded"],
    [stopped, "chain_unavailable"],
  ] as const) {
    expectError(actual, code, /./)
    const { error, detail } = actual.json
    expect(foretold.json).toMatchObject({ allowed: false, answer: { status: actual.status, error, detail } })
    expect(outcomes(foretold)).toContain("wallet_not_verified passed")
  }
})

test("a refusal by a pause comes before a hold that does not exist, as in the request itself", async () => {
  const config = await tokens.config()
  const wallet = newWallet()
  await tokens.post(`/mint-config/${config}/pause`, {})
  const { kind, ...json } = { ...burning(config, wallet, "1"), holds: ["hold_none"] }
  const actual = await tokens.post("/token/burn", json)
  expectError(actual, "mint_paused", /^The token is paused/)
  const { error, detail } = actual.json
  expect((await ask({ kind, ...json })).json.answer).toEqual({ status: 403, error, detail })
})

test("it says how many members would have to approve, and that too few could", async () => {
  const { account } = await member(app)
  await member(app, { account, role: "compliance" })
  const own = await app.key({ account })
  const asOwn = { key: own.apiKey }
  const config = await tokens.config()
  const json = { id: config, name: "Fund", symbol: "FUND", decimals: 0, required_schema: "kyc_individual_v1" }
  await tokens.post("/mint-configs", json, asOwn)
  const { wallet } = await app.verifiedWallet(own)
  const asked = { kind: "mint", mint_config: config, user_pubkey: wallet, amount: "1" }
  const policy = { actions: ["mint"], approvals: 1, roles: ["owner", "compliance"] }
  const { policy_id } = (await tokens.post("/approval-policies", policy, asOwn)).json
  for (const [approvals, answer] of [
    [1, { status: 202, error: null, detail: null }],
    [3, { status: 403, error: "approver_missing" }],
  ] as const) {
    await sql`update approval_policies set approvals = ${approvals} where id = ${policy_id}`
    const foretold = (await ask(asked, asOwn)).json
    expect(foretold).toMatchObject({ allowed: approvals === 1, approvals_needed: approvals, answer })
    const { kind: _, ...minting } = asked
    const actual = await tokens.post("/token/mint", minting, asOwn)
    expect(actual.status).toBe(answer.status)
    if (approvals === 3) expect(actual.json.detail).toBe(foretold.answer.detail)
  }
})

test("it names a claim or a verification's state only to keys that may know it", async () => {
  const { account } = await member(app)
  const owner = await app.key({ account })
  const config = await tokens.config()
  await app.request({
    ...{ method: "POST", path: "/mint-configs", key: owner.apiKey },
    json: {
      ...{ id: config, name: "Fund", symbol: "FUND", decimals: 0, required_schema: "kyc_individual_v1" },
      rules: { allowed_countries: ["US"] },
    },
  })
  const { wallet } = await app.verifiedWallet(owner, undefined, { country: "DE" })
  const { wallet: revoked, status } = await app.verifiedWallet(owner)
  const path = `/attestation/${status.attestation_id}/revoke`
  await app.request({ method: "POST", path, key: owner.apiKey, json: { reason: "Left" } })

  async function detailsFor(scopes: Scope[]) {
    const { apiKey } = await app.key({ account, scopes })
    return Promise.all(
      [wallet, revoked].map(async (user_pubkey) => {
        const asked = { kind: "mint", mint_config: config, user_pubkey, amount: "1" }
        const { json } = await ask(asked, { key: apiKey })
        const found = json.rules.find(({ code }: { code: string }) => code === json.answer.error)
        expect(found).toMatchObject({ outcome: "refused", detail: json.answer.detail })
        return JSON.stringify(json)
      }),
    )
  }
  const [country, loss] = await detailsFor(["token:read"])
  expect(country).toContain(`The token's country rules do not allow ${wallet}.`)
  expect(country).not.toMatch(/Germany|DE\b/)
  expect(loss).toContain(`${revoked} is not verified for kyc_individual_v1.`)
  expect(loss).not.toMatch(/revoked on|expired|rejected/)
  const [named, explained] = await detailsFor(["token:read", "token:mint", "kyc:read"])
  expect(named).toContain("its investor is from Germany (DE)")
  expect(explained).toContain("its attestation was revoked on")
})

test("only a key with token:read may ask", async () => {
  const asked = { kind: "mint", mint_config: "us_real_estate_fund_v1", user_pubkey: newWallet(), amount: "1" }
  const others = await app.key({ scopes: allScopes.filter((scope) => scope !== "token:read") })
  expectError(await ask(asked, { key: others.apiKey }), "insufficient_scope", /token:read/)
  const reader = await app.key({ scopes: ["token:read"] })
  expect((await ask(asked, { key: reader.apiKey })).status).toBe(200)
})

test("the request log keeps no response of it, as of any read", async () => {
  const { account, browser } = await member(app)
  const own = await app.key({ account })
  const about = { mint_config: "us_real_estate_fund_v1", amount: "1" }
  const asked = { kind: "mint", user_pubkey: newWallet(), ...about }
  const answers = [await ask(asked, { key: own.apiKey }), await ask({ ...asked, amount: "x" }, { key: own.apiKey })]
  const ids = answers.map(({ headers }) => headers["x-request-id"] as string)
  const logged = (id: string) =>
    expect.poll(async () => (await browser.query("request.get", { request_id: id })).data, { timeout: 30_000 })
  await logged(ids[0]!).toMatchObject({
    ...{ status: 200, response_body: null },
    request_body: JSON.stringify(asked),
  })
  await logged(ids[1]!).toMatchObject({ status: 422, error: "invalid_amount" })
})

test("a hold that is named is taken from", async () => {
  const config = await tokens.config()
  const [alice] = (await tokens.wallets(1)) as [Address]
  await tokens.mint(config, alice, "10")
  const held = await hold(config, alice, "8")
  expect((await ask(burning(config, alice, "9"))).json.answer.error).toBe("amount_held")
  expect((await ask({ ...burning(config, alice, "9"), holds: [held] })).json).toMatchObject({
    ...{ allowed: true, available: "2", held: "8" },
  })
})
