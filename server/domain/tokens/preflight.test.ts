import { beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import type { Account } from "#server/domain/onboarding/create-account.ts"
import type { Address } from "#shared/address.ts"
import { newWallet, type TestKey } from "#test/fixtures/app.ts"
import { type Answer, type Browser, member } from "#test/fixtures/people.ts"
import { type TokenFixture, tokenFixture } from "#test/fixtures/tokens.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"
import { snapshot } from "#test/matchers/snapshot.ts"

let key: TestKey
let tokens: TokenFixture
let browser: Browser
let account: Account
let alice: string
let bob: string

usesApp()
beforeAll(async () => {
  const owner = await member(app)
  browser = owner.browser
  account = owner.account
  key = await app.key({ account: owner.account })
  tokens = tokenFixture(app, key)
  const wallets = await Promise.all([
    app.verifiedWallet(key, undefined, { country: "US", accredited: true }),
    app.verifiedWallet(key, undefined, { country: "US", accredited: false }),
  ])
  ;[alice, bob] = wallets.map(({ wallet }) => wallet) as [Address, Address]
})

const ofMint = (mint_config: string, user_pubkey: string, amount: string): Promise<Answer> =>
  browser.query("token.formPreflight", { kind: "mint", mint_config, user_pubkey, amount })
const ofTransfer = (mint_config: string, from_pubkey: string, to_pubkey: string, amount: string) =>
  browser.query("token.formPreflight", { kind: "transfer", mint_config, from_pubkey, to_pubkey, amount })

const ofBurn = (mint_config: string, user_pubkey: string, amount: string): Promise<Answer> =>
  browser.query("token.formPreflight", { kind: "burn", mint_config, user_pubkey, amount })
const ofForced = (mint_config: string, from_pubkey: string, to_pubkey: string, amount: string) =>
  browser.query("token.formPreflight", { kind: "force_transfer", mint_config, from_pubkey, to_pubkey, amount })

const outcomes = ({ data }: Answer): string[] =>
  data.rules.map((rule: { code: string; outcome: string }) => `${rule.code} ${rule.outcome}`)

const everyRule = {
  allowed_countries: ["US"],
  require_accredited: true,
  max_supply: "100",
  max_holders: 1,
  max_balance_per_wallet: "60",
  transfers_locked_until: "2001-01-01T00:00:00Z",
}

test("what members must approve is said before it is asked for, and so is that too few could", async () => {
  const officer = await member(app, { account, role: "compliance" })
  const policy = async (json: object) => {
    const { status, json: created, text } = await tokens.post("/approval-policies", json)
    expect(status, text).toBe(200)
    return created.policy_id as string
  }
  const config = await tokens.config({}, { decimals: 2 })
  expect((await ofMint(config, alice, "9")).data).toMatchObject({ approvals_needed: 0, approver_roles: [] })
  await policy({ actions: ["mint"], mint_config: config, min_amount: "10", approvals: 1, roles: ["compliance"] })
  expect((await ofMint(config, alice, "9.99")).data.approvals_needed).toBe(0)
  const bound = await ofMint(config, alice, "10")
  expect(bound.data).toMatchObject({
    ...{ approvals_needed: 1, approver_roles: ["compliance"] },
    answer: { status: 202, error: null, detail: null },
  })
  expect((await tokens.mint(config, alice, "10")).status).toBe(202)
  // The only officer asks, so no one is left.
  const own = await officer.browser.query("token.formPreflight", {
    ...{ kind: "mint", mint_config: config, user_pubkey: alice, amount: "10" },
  })
  expect(own.data.answer).toMatchObject({ status: 403, error: "approver_missing" })
  await tokens.post(`/mint-config/${config}/pause`, {})
  expect((await ofMint(config, alice, "10")).data).toMatchObject({
    ...{ approvals_needed: 1, answer: { error: "mint_paused" } },
  })
})

test("a burn with the holder's consent needs no approval by default, and one without does", async () => {
  const boss = await member(app, { mode: "live" })
  await member(app, { mode: "live", account: boss.account, role: "compliance" })
  const fund = tokenFixture(app, await app.key({ account: boss.account, mode: "live" }))
  const asked = { kind: "burn", mint_config: await fund.config(), user_pubkey: newWallet(), amount: "1" }
  const needed = async (more: object) =>
    (await boss.browser.query("token.formPreflight", { ...asked, ...more })).data.approvals_needed
  expect([await needed({ holder_consent: true }), await needed({})]).toEqual([0, 1])
})

test("every rule that applies to a mint is listed with its result, in the contract's order", async () => {
  const config = await tokens.config(everyRule)
  const verdict = await ofMint(config, alice, "60")
  expect(verdict.data.answer).toEqual({ status: 200, error: null, detail: null })
  expect(verdict.data.rules).toEqual([
    { code: "mint_paused", outcome: "passed", detail: "The token is not paused." },
    { code: "wallet_barred", outcome: "passed", detail: "The wallet was not reported as lost." },
    { code: "wallet_frozen", outcome: "passed", detail: "The wallet is not frozen." },
    {
      code: "wallet_not_verified",
      outcome: "passed",
      detail: "The wallet is verified for kyc_individual_v1.",
    },
    { code: "country_not_allowed", outcome: "passed", detail: "The investor's country is allowed." },
    { code: "not_accredited", outcome: "passed", detail: "The investor is accredited." },
    {
      code: "supply_cap_exceeded",
      outcome: "passed",
      detail: "40 of 100 left to mint afterwards.",
    },
    {
      code: "holder_limit_reached",
      outcome: "passed",
      detail: "0 of 1 holders.",
    },
    {
      code: "balance_limit_exceeded",
      outcome: "passed",
      detail: "The wallet has 60 afterwards, and may hold 60.",
    },
  ])
})

test("a transfer is checked for the lock-up and the balance, and not for the supply", async () => {
  const config = await tokens.config(everyRule)
  await tokens.mint(config, alice, 60)
  const verdict = await ofTransfer(config, alice, bob, "61")
  expect(outcomes(verdict)).toEqual([
    "mint_paused passed",
    "transfers_locked passed",
    "wallet_barred passed",
    "wallet_frozen passed",
    "wallet_not_verified passed",
    "country_not_allowed passed",
    "not_accredited refused",
    "holder_limit_reached refused",
    "balance_limit_exceeded refused",
    "insufficient_balance refused",
  ])
  expect(verdict.data.answer).toMatchObject({ status: 403, error: "not_accredited" })
})

test("for an unverified wallet, rules on claims are undecided, and the wallet is named", async () => {
  const config = await tokens.config({ allowed_countries: ["US"], require_accredited: true })
  const stranger = newWallet()
  const { data } = await ofMint(config, stranger, "1")
  expect(data.rules.map((rule: { outcome: string }) => rule.outcome)).toEqual([
    "passed",
    "passed",
    "passed",
    "refused",
    "undecided",
    "undecided",
    "passed",
  ])
  expect(data).toMatchObject({ unverified: [stranger], required_schema: "kyc_individual_v1" })
  expect(data.answer.error).toBe("wallet_not_verified")
})

test("forced acts list the rules that they override, and name only an unverified recipient", async () => {
  const config = await tokens.config({ transfers_locked_until: "2999-01-01T00:00:00Z", require_accredited: true })
  await tokens.mint(config, alice, 60)
  const aside = ["mint_paused passed", "transfers_locked overridden"]
  const burning = await ofBurn(config, alice, "60")
  expect(outcomes(burning)).toEqual([...aside, "insufficient_balance passed"])
  expect(burning.data).toMatchObject({ answer: { status: 200 }, unverified: [] })

  const toBob = await ofForced(config, alice, bob, "60")
  expect(outcomes(toBob)).toEqual([
    ...aside,
    "wallet_barred passed",
    "wallet_frozen passed",
    "wallet_not_verified passed",
    "not_accredited refused",
    "insufficient_balance passed",
  ])
  expect(toBob.data.answer).toMatchObject({ status: 403, error: "not_accredited" })

  const stranger = newWallet()
  const fromStranger = await ofForced(config, stranger, alice, "1")
  expect(outcomes(fromStranger)).toEqual([
    ...aside,
    "wallet_barred passed",
    "wallet_frozen passed",
    "wallet_not_verified overridden",
    "not_accredited overridden",
    "insufficient_balance refused",
  ])
  expect(fromStranger.data).toMatchObject({ answer: { error: "insufficient_balance" }, unverified: [] })
  expect((await ofForced(config, alice, stranger, "1")).data.unverified).toEqual([stranger])
  const same = await ofForced(config, alice, alice, "1")
  expect(same.error).toMatchObject({ error: "same_wallet", detail: expect.stringMatching(/^to_pubkey: must differ/) })
})

test("the API gives the response that the preflight predicts, refused or not", async () => {
  const config = await tokens.config(everyRule)
  const paused = await tokens.config()
  await tokens.post(`/mint-config/${paused}/pause`, {})
  await tokens.mint(config, alice, 50)
  const fine = await tokens.config({}, { decimals: 2 })
  const mints: [string, string, string][] = [
    [paused, alice, "1"],
    [config, newWallet(), "1"],
    [config, bob, "1"],
    [config, alice, "51"],
    [config, alice, "11"],
    [fine, alice, "1.234"],
    ["none_v1", alice, "1"],
    [config, "not-a-wallet", "1"],
    [config, alice, "-1"],
    [fine, alice, "1.25"],
  ]
  const codes: (string | null)[] = []
  for (const [id, wallet, amount] of mints) {
    const { data, status, error } = await ofMint(id, wallet, amount)
    const foretold = data ? data.answer : { status, error: error.error, detail: error.detail }
    const { status: actual, json } = await tokens.mint(id, wallet, amount)
    expect(foretold).toEqual({
      status: actual,
      error: actual === 200 ? null : json.error,
      detail: actual === 200 ? null : json.detail,
    })
    codes.push(foretold.error)
  }
  expect(codes).toEqual([
    "mint_paused",
    "wallet_not_verified",
    "not_accredited",
    "supply_cap_exceeded",
    "balance_limit_exceeded",
    "invalid_amount",
    "unknown_mint_config",
    "invalid_public_key",
    "invalid_amount",
    null,
  ])
})

test("a preflight changes nothing, creates no rows and waits for no lock", async () => {
  const config = await tokens.config(everyRule)
  await ofMint(config, alice, "1")
  const before = await snapshot()
  await sql.begin(async (sql) => {
    await sql`select id from mint_configs where workspace_id = ${key.workspaceId} and id = ${config} for update`
    expect((await ofMint(config, alice, "1")).data.answer.status).toBe(200)
    expect((await ofTransfer(config, alice, bob, "1")).data.answer.status).toBe(403)
  })
  expect(await snapshot()).toEqual(before)
})

test("a transfer to oneself is refused as in the API", async () => {
  const config = await tokens.config()
  const { error } = await ofTransfer(config, alice, alice, "1")
  expect(error).toMatchObject({ error: "validation_failed", detail: expect.stringMatching(/^to_pubkey: /) })
})

test("a request that names a hold takes from it, and one that does not cannot", async () => {
  const config = await tokens.config()
  await tokens.mint(config, alice, "10")
  const held = { user_pubkey: alice, mint_config: config, amount: "8", reason_code: "tax", reference: "r" }
  const { hold_id } = (await tokens.post("/token/holds", held)).json
  const answerOf = async (kind: "burn" | "force_transfer", more: object) => {
    const wallets = kind === "burn" ? { user_pubkey: alice } : { from_pubkey: alice, to_pubkey: bob }
    const { data } = await browser.query("token.formPreflight", {
      kind,
      mint_config: config,
      amount: "8",
      ...wallets,
      ...more,
    })
    return data.answer.error ?? data.answer.status
  }
  for (const kind of ["burn", "force_transfer"] as const) {
    expect(await answerOf(kind, {})).toBe("amount_held")
    expect(await answerOf(kind, { holds: [hold_id] })).toBe(200)
    expect(await answerOf(kind, { holds: ["hold_2Lc7HdZKx8vPq3mNbR5tYw"] })).toBe("hold_not_found")
  }
  await member(app, { account, role: "compliance" })
  const { json } = await tokens.post("/approval-policies", { actions: ["hold_execute"], approvals: 1 })
  expect(await answerOf("force_transfer", { executes: hold_id })).toBe(202)
  expect(await answerOf("force_transfer", { holds: [hold_id] })).toBe(202)
  expect(await answerOf("force_transfer", { amount: "2" })).toBe(200)
  await sql`delete from approval_policies where id = ${json.policy_id}`
})

test("a viewer can run a preflight but cannot send", async () => {
  const config = await tokens.config()
  const viewer = await member(app, { role: "viewer", account })
  const asked = await viewer.browser.query("token.formPreflight", {
    kind: "mint",
    mint_config: config,
    user_pubkey: alice,
    amount: "1",
  })
  expect(asked.data.answer.status).toBe(200)
  const input = { mint_config: config, user_pubkey: alice, amount: "1" }
  for (const [path, sent] of [
    ["token.mint", input],
    ["token.transfer", { ...input, from_pubkey: alice, to_pubkey: bob }],
    ["mintConfig.pause", { id: config }],
    ["mintConfig.save", {}],
    ["mintConfig.check", {}],
  ] as const) {
    const { status, error } = await viewer.browser.mutate(path, sent)
    expect([path, status, error.error]).toEqual([path, 403, "insufficient_scope"])
  }
  expect((await tokens.trace(config)).operations).toEqual([])
})

test("another workspace's token does not exist", async () => {
  const config = await tokens.config()
  const other = await member(app)
  const { error } = await other.browser.query("token.formPreflight", {
    kind: "mint",
    mint_config: config,
    user_pubkey: alice,
    amount: "1",
  })
  expect(error.error).toBe("unknown_mint_config")
  expect((await other.browser.query("mintConfig.view", { id: config })).error.error).toBe("mint_config_not_found")
  expect((await other.browser.query("token.holders", { mint_config: config })).error.error).toBe(
    "mint_config_not_found",
  )
})
