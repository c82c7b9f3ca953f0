import { randomBytes } from "node:crypto"
import bs58 from "bs58"
import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { createAccount } from "#server/domain/onboarding/create-account.ts"
import { newId } from "#server/lib/ids.ts"
import { newWallet, waitFor } from "#test/fixtures/app.ts"
import { tokenFixture } from "#test/fixtures/tokens.ts"
import { app, key, tokens, usesCustomer } from "#test/fixtures/uses-app.ts"

usesCustomer()

type Holder = { user_pubkey: string; balance: string }
const ask = (id: string, query = "", by = key) =>
  app.request({ method: "GET", path: `/token/holders/${id}${query}`, key: by.apiKey })
const balancesOf = (wallet: string, by = key) =>
  app.request({ method: "GET", path: `/token/balances/${wallet}`, key: by.apiKey })

/** Reads all pages of a list. */
async function pagesOf(id: string, query: string, between: () => Promise<unknown> = async () => {}) {
  const all: Holder[] = []
  for (let cursor = ""; ; ) {
    const { status, json } = await ask(id, `?${query}${cursor && `&cursor=${cursor}`}`)
    expect(status).toBe(200)
    all.push(...json.data)
    if (json.next_cursor === null) return all
    cursor = json.next_cursor
    await between()
  }
}

test("holders are listed by wallet or by balance, with their owners, as of a slot of the chain", async () => {
  const id = await tokens.config({}, { decimals: 2 })
  expect((await ask(id)).json).toMatchObject({ data: [], next_cursor: null })
  const session = { userPubkey: newWallet(), schemaId: "kyc_individual_v1", externalId: "investor-7" }
  const started = await tokens.post("/kyc/start", session)
  await app.webhook({ session_id: started.json.session_id, decision: "approved", claims: { country: "US" } })
  await app.waitForStatus(key, session.userPubkey, "verified")
  const wallets = [...(await tokens.wallets(3)), session.userPubkey]
  for (const [n, wallet] of wallets.entries()) await tokens.mint(id, wallet, `${n + 1}.5`)
  const last = await tokens.mint(id, session.userPubkey, "1")

  const { json } = await ask(id)
  expect(json.data.map((one: Holder) => one.user_pubkey)).toEqual(wallets.toSorted((a, b) => (a < b ? -1 : 1)))
  const { data: byBalance } = (await ask(id, "?sort=balance")).json
  expect(byBalance.map(({ balance }: Holder) => balance)).toEqual(["5.5", "3.5", "2.5", "1.5"])
  expect(byBalance[0]).toEqual({
    user_pubkey: session.userPubkey,
    balance: "5.5",
    incoming: "0",
    outgoing: "0",
    available: "5.5",
    held: "0",
    frozen: true,
    wallet_freeze: null,
    investor_id: expect.stringMatching(/^inv_/),
    external_id: "investor-7",
  })
  const status = await app.connection.getSignatureStatus(last.json.onchain_tx)
  expect(json.slot).toBeGreaterThanOrEqual(status.value!.slot)

  // A wallet that has given everything away is not a holder.
  await tokens.transfer(id, wallets[0]!, wallets[1]!, "1.5")
  expect((await ask(id)).json.data).toHaveLength(3)
})

test("tokens in transit are shown, and future holders are listed", async () => {
  const id = await tokens.config()
  const [alice, bob] = await tokens.wallets(2)
  await tokens.mint(id, alice, 5)
  await app.faults({ drop: 1 })
  const headers = { prefer: "respond-async" }
  expect((await tokens.transfer(id, alice, bob, 2, { headers })).status).toBe(202)
  const rows = Object.fromEntries((await ask(id)).json.data.map((one: Holder) => [one.user_pubkey, one]))
  expect(rows[alice]).toMatchObject({ balance: "5", outgoing: "2" })
  expect(rows[bob]).toMatchObject({ balance: "0", incoming: "2" })
  await app.faults({})
  await waitFor(
    async () => (await ask(id)).json.data.every(({ incoming }: { incoming: string }) => incoming === "0"),
    "the transfer to land",
  )
})

test("in holder mode, an account counts as open while its wallet meets the rules", async () => {
  const id = await tokens.config({ blocked_countries: ["KP"] }, { transfer_mode: "holder" })
  const { wallet, status } = await app.verifiedWallet(key, undefined, { country: "US" })
  const [other] = await tokens.wallets(1, { country: "CA" })
  for (const one of [wallet, other]) await tokens.mint(id, one, 1)
  const frozen = async () =>
    Object.fromEntries(
      (await ask(id)).json.data.map((one: Holder & { frozen: boolean }) => [one.user_pubkey, one.frozen]),
    )
  expect(await frozen()).toEqual({ [wallet]: false, [other]: false })
  await tokens.post(`/attestation/${status.attestation_id}/revoke`, { reason: "x" })
  expect(await frozen()).toEqual({ [wallet]: true, [other]: false })
})

/** Holders according to the books, without a chain. */
async function fill(workspaceId: string, config: string, count: number): Promise<string[]> {
  const wallets = Array.from({ length: count }, () => bs58.encode(randomBytes(32)))
  await sql`
    insert into holdings (workspace_id, mint_config, wallet, balance)
    select ${workspaceId}, ${config}, wallet, (n % 7 + 1)::numeric
    from unnest(${wallets}::text[]) with ordinality as t(wallet, n)`
  return wallets
}

test("pages have every holder once, while others join, leave and change in between", async () => {
  const id = await tokens.config()
  const wallets = await fill(key.workspaceId, id, 57)
  const byWallet = wallets.toSorted((a, b) => (a < b ? -1 : 1))
  expect((await pagesOf(id, "limit=10")).map((one) => one.user_pubkey)).toEqual(byWallet)
  const byBalance = (await pagesOf(id, "limit=10&sort=balance")).map((one) => one.user_pubkey)
  expect(byBalance.toSorted()).toEqual(wallets.toSorted())

  let turn = 0
  const stirred = await pagesOf(id, "limit=5", async () => {
    turn++
    await fill(key.workspaceId, id, 3)
    await sql`update holdings set balance = balance + ${turn} where workspace_id = ${key.workspaceId} and mint_config = ${id}`
  })
  const seen = stirred.map((one) => one.user_pubkey)
  expect(new Set(seen).size).toBe(seen.length)
  expect(seen).toEqual(expect.arrayContaining(wallets))
})

test("a key that cannot read investors does not see whose wallets they are", async () => {
  const account = await createAccount({ name: newId("acct"), plan: "free" })
  const owner = await app.key({ account })
  const own = tokenFixture(app, owner)
  const id = await own.config()
  const [wallet] = await own.wallets(1)
  await own.mint(id, wallet, 1)
  const blind = await app.key({ account, scopes: ["token:read"] })
  const [told] = (await ask(id, "", owner)).json.data
  expect(told.investor_id).toMatch(/^inv_/)
  expect((await ask(id, "", blind)).json.data).toEqual([{ ...told, investor_id: null, external_id: null }])
  const minter = await app.key({ account, scopes: ["token:mint", "kyc:read"] })
  for (const refused of [await ask(id, "", minter), await balancesOf(wallet, minter)]) {
    expect(refused).toMatchObject({ status: 403, json: { error: "insufficient_scope" } })
  }
})

test("another workspace's token is not found, and its wallets hold nothing here, in live and in test", async () => {
  const account = await createAccount({ name: newId("acct"), plan: "free" })
  const [live, other] = [await app.key({ account, mode: "live" }), await app.key({ account, mode: "test" })]
  const own = tokenFixture(app, live)
  const id = await own.config()
  const [wallet] = await own.wallets(1)
  await own.mint(id, wallet, 5)
  for (const one of [id, "never_v1", "a%00b", "%F0%9F%98%80", "x".repeat(300)]) {
    const { status, json } = await ask(one, "", other)
    expect([one, status, json.error]).toEqual([one, 404, "mint_config_not_found"])
  }
  const { json: theirs } = await ask(id, "?limit=1", live)
  expect(theirs.data).toHaveLength(1)
  await tokenFixture(app, other).config()
  expect((await balancesOf(wallet, other)).json.data).toEqual([])
  expect((await balancesOf(wallet, live)).json.data).toMatchObject([{ mint_config: id, amount: "5" }])
})

test.each([
  ["?sort=none", /^sort: /],
  ["?sort=", /^sort: /],
  ["?sort=wallet&sort=balance", /^sort: /],
  ["?limit=0", /^limit: /],
  ["?limit=101", /^limit: /],
  ["?limit=1e1", /^limit: /],
  ["?cursor=x", /^cursor: /],
  ["?cursor=%00", /^cursor: /],
  [`?cursor=${Buffer.from("5/x").toString("base64url")}`, /^cursor: /],
  [`?cursor=${Buffer.from(`5/${"1".repeat(32)}`).toString("base64url")}`, /^cursor: /],
  [`?sort=balance&cursor=${Buffer.from("9".repeat(90)).toString("base64url")}`, /^cursor: /],
  ["?wallet=x", /^wallet: unknown query parameter/],
])("%s is 422, and the error names the parameter", async (query, detail) => {
  const refused = await ask("us_real_estate_fund_v1", query)
  expect(refused, refused.text).toMatchObject({
    status: 422,
    json: { error: "validation_failed", detail: expect.stringMatching(detail) },
  })
})

test("a cursor of one order is invalid in the other", async () => {
  const id = await tokens.config()
  await fill(key.workspaceId, id, 3)
  for (const [one, other] of [
    ["wallet", "balance"],
    ["balance", "wallet"],
  ]) {
    const { next_cursor } = (await ask(id, `?limit=1&sort=${one}`)).json
    expect((await ask(id, `?sort=${one}&cursor=${next_cursor}`)).json.data).toHaveLength(2)
    expect((await ask(id, `?sort=${other}&cursor=${next_cursor}`)).status).toBe(422)
  }
})

test("a wallet's balances are those on chain, newest token first", async () => {
  const fresh = await app.key()
  const own = tokenFixture(app, fresh)
  const wallet = (await app.verifiedWallet(fresh)).wallet
  expect((await balancesOf(wallet, fresh)).json).toEqual({ user_pubkey: wallet, slot: null, data: [] })
  const first = await own.config({}, { decimals: 3 })
  const second = await own.config({}, { transfer_mode: "holder" })
  await own.config()
  const minted = await own.mint(first, wallet, "1.25")
  await own.mint(second, wallet, "7")
  await sql`update mint_configs set created_at = created_at - interval '1 hour' where workspace_id = ${fresh.workspaceId} and id = ${first}`
  const { json } = await balancesOf(wallet, fresh)
  const rest = { held: "0", wallet_freeze: null }
  expect(json).toEqual({
    user_pubkey: wallet,
    slot: expect.any(Number),
    data: [
      { mint_config: second, mint: expect.any(String), amount: "7", available: "7", frozen: false, ...rest },
      { mint_config: first, mint: minted.json.mint, amount: "1.25", available: "1.25", frozen: true, ...rest },
    ],
  })
  for (const { mint_config, amount, frozen } of json.data) {
    const one = await own.get(`/token/balance/${wallet}?mint_config=${mint_config}`)
    expect(one.json).toEqual({ user_pubkey: wallet, mint_config, amount, available: amount, frozen, ...rest })
  }
})

test.each(["x", "a%00b", "11111111111111111111111111111111", "%F0%9F%98%80", "x".repeat(300)])(
  "balances of %s are refused as invalid_public_key",
  async (wallet) => {
    expect((await balancesOf(wallet)).json.error).toBe("invalid_public_key")
  },
)
