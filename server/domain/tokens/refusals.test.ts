import { beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { deployment } from "#server/domain/deployment/deployment.ts"
import { formatDay } from "#server/lib/time.ts"
import { addressOf } from "#server/solana/addresses.ts"
import { authorityPurpose } from "#server/solana/keys.ts"
import { allRoles } from "#shared/roles.ts"
import type { Scope } from "#shared/scopes.ts"
import { newWallet, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { advanceClock, realNow } from "#test/fixtures/clock.ts"
import { member } from "#test/fixtures/people.ts"
import { tokenFixture } from "#test/fixtures/tokens.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

let key: TestKey
let owner: Awaited<ReturnType<typeof member>>
let fund: string

usesApp()
beforeAll(async () => {
  owner = await member(app)
  key = await app.key({ account: owner.account })
  fund = await tokenFixture(app, key).config({ blocked_countries: ["KP"] })
})

const mint = async (wallet: string, by = key) => (await tokenFixture(app, by).mint(fund, wallet, 1)).json
const keyFor = (scopes: Scope[]) => app.key({ account: owner.account, scopes })

test("addresses that Vouch itself uses cannot be verified, minted to or transferred to", async () => {
  const { post } = tokenFixture(app, key)
  const { wallet } = await app.verifiedWallet(key)
  expect(await mint(wallet)).toMatchObject({ status: "confirmed" })
  const chain = deployment.chains.test!
  const [{ mint: asset } = { mint: "" }] = await sql`select mint from mint_configs where id = ${fund}`
  const [{ credential_mint: credential } = { credential_mint: "" }] = await sql`
    select credential_mint from schemas where workspace_id = ${key.workspaceId} and id = 'kyc_individual_v1'`
  // The accounts are known once their costs are counted.
  const accounts = await waitFor(async () => {
    const paid = await sql`select account from paid_accounts where workspace_id = ${key.workspaceId}`
    return paid.length >= 2 && paid
  }, "the accounts that were paid for")
  const own = [
    addressOf(deployment.keys(authorityPurpose(key.workspaceId)).publicKey),
    ...Object.values(deployment.chains).map((one) => addressOf(one!.feePayer.publicKey)),
    addressOf(chain.payerMarker),
    asset,
    credential,
    ...accounts.map(({ account }) => account),
  ]
  const used = async () => (await app.request({ method: "GET", path: "/usage", key: key.apiKey })).json.used
  const before = await used()
  for (const address of own) {
    const refused = (field: string) => ({
      status: 422,
      json: {
        error: "invalid_public_key",
        detail: expect.stringMatching(`^${field}: ${address} is not a wallet`),
      },
    })
    const start = { userPubkey: address, schemaId: "kyc_individual_v1" }
    expect(await post("/kyc/start", start)).toMatchObject(refused("userPubkey"))
    const minted = { user_pubkey: address, mint_config: fund, amount: 1 }
    expect(await post("/token/mint", minted)).toMatchObject(refused("user_pubkey"))
    const moved = { from_pubkey: wallet, to_pubkey: address, mint_config: fund, amount: 1 }
    expect(await post("/token/transfer", moved)).toMatchObject(refused("to_pubkey"))
    const verdict = { kind: "mint", mint_config: fund, amount: "1", user_pubkey: address }
    const { status, error } = await owner.browser.query("token.formPreflight", verdict)
    expect([status, error.error]).toEqual([422, "invalid_public_key"])
  }
  expect(await used()).toBe(before)
})

test("a refusal because an attestation ended says how and when it ended", async () => {
  const today = formatDay(realNow())
  const [stranger, rejected, closed] = [newWallet(), newWallet(), newWallet()]
  const { wallet: revoked, status } = await app.verifiedWallet(key)
  const { wallet: expired, status: ending } = await app.verifiedWallet(key)
  const { sessionId } = await app.startSession(key, rejected)
  await app.startSession(key, closed)
  const pending = await mint(closed)
  await app.webhook({ session_id: sessionId, decision: "rejected", reason: "Named on a list" })
  await tokenFixture(app, key).post(`/attestation/${status.attestation_id}/revoke`, {
    reason: "Named on a list",
  })
  const told = (wallet: string, what: string) => ({
    error: "wallet_not_verified",
    detail: `${wallet} is not verified for kyc_individual_v1${what}. Start a verification with POST /kyc/start.`,
  })
  expect(await mint(stranger)).toMatchObject(told(stranger, ""))
  expect(pending).toMatchObject(told(closed, ": its verification is pending"))
  expect(await mint(rejected)).toMatchObject(told(rejected, `: its verification was rejected on ${today}`))
  expect(await mint(revoked)).toMatchObject(told(revoked, `: its attestation was revoked on ${today}`))
  const verdict = { kind: "mint", mint_config: fund, amount: "1" }
  const { data } = await owner.browser.query("token.formPreflight", { ...verdict, user_pubkey: revoked })
  expect(data.answer.detail).toBe(told(revoked, `: its attestation was revoked on ${today}`).detail)
  // A key that cannot read attestations learns nothing about them by minting.
  expect(await mint(revoked, await keyFor(["token:mint"]))).toMatchObject(told(revoked, ""))

  await advanceClock({ days: 4000 })
  const end = formatDay(new Date(ending.expires_at))
  expect(await mint(expired)).toMatchObject(told(expired, `: its attestation expired on ${end}`))
  expect((await mint(closed)).detail).toContain("its session expired on ")
})

test("a refused country is named to a key that can mint, but neither in the log nor to a person", async () => {
  const { wallet } = await app.verifiedWallet(key, undefined, { country: "KP" })
  const { wallet: untold } = await app.verifiedWallet(key, undefined, {})
  const detail = `The token's country rules do not allow ${wallet}: its investor is from North Korea (KP).`
  const refused = await mint(wallet)
  expect(refused).toMatchObject({ error: "country_not_allowed", detail })
  expect((await mint(untold)).detail).toMatch(/: its verification contains no country\.$/)

  const asked = { kind: "mint", mint_config: fund, amount: "1", user_pubkey: wallet }
  // People must request claims, which the audit log records. A developer and a viewer do not see them at all.
  for (const role of allRoles) {
    const { browser } = await member(app, { account: owner.account, role })
    const { data } = await browser.query("token.formPreflight", asked)
    expect([role, data.answer.error]).toEqual([role, "country_not_allowed"])
    expect(JSON.stringify(data)).not.toMatch(/\bKP\b/)
  }
  const own = await owner.browser.mutate("token.mint", {
    mint_config: fund,
    amount: "1",
    user_pubkey: wallet,
  })
  expect(own.error).toMatchObject({ error: "country_not_allowed" })
  expect(JSON.stringify(own.error)).not.toMatch(/\bKP\b/)

  const logged = await waitFor(async () => {
    const [row] = await sql<{ response_body: string }[]>`
      select response_body from api_requests where id = ${refused.request_id}`
    return row?.response_body ?? null
  }, "the request to be logged")
  expect(logged).toContain("country_not_allowed")
  // As a whole word, because an id may contain these letters.
  expect(logged).not.toMatch(/\bKP\b/)
})

test("a token without a maximum supply says so, and does not name the highest possible number", async () => {
  const { wallet } = await app.verifiedWallet(key)
  const asked = { kind: "mint", mint_config: fund, user_pubkey: wallet }
  const { data } = await owner.browser.query("token.formPreflight", { ...asked, amount: "1" })
  expect(JSON.stringify(data)).not.toContain("18446744073709551615")
  expect(data.rules).toContainEqual({
    code: "supply_cap_exceeded",
    outcome: "passed",
    detail: "No maximum supply is set.",
  })
})

test("the largest possible limit is stored exactly, and the next larger one is refused with the limit", async () => {
  const { browser } = owner
  const config = {
    id: "greatest_v1",
    name: "Greatest",
    symbol: "MAX",
    decimals: 6,
    required_schema: "kyc_individual_v1",
    transfer_mode: "agent",
  }
  const withCap = (max_supply: string) => ({ ...config, rules: { max_supply } })
  const issuesOf = async (cap: string) =>
    (await browser.query("mintConfig.check", { config: withCap(cap), is_new: true })).data.issues
  const over = {
    field: "rules.max_supply",
    error: "validation_failed",
    detail: "must be at most 18446744073709.551615, with at most 6 digits after the point.",
  }
  expect(await issuesOf("18446744073709.551616")).toEqual([over])
  expect(await issuesOf("1.0000001")).toEqual([over])
  expect(await issuesOf("18446744073709.551615")).toEqual([])
  const { data } = await browser.mutate("mintConfig.create", withCap("18446744073709.551615"))
  expect(data.rules.max_supply).toBe("18446744073709.551615")
})
