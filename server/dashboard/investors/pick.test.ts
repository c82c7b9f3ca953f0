import { beforeAll, expect, test } from "vitest"
import { newWallet, type TestKey } from "#test/fixtures/app.ts"
import { grounds } from "#test/fixtures/grounds.ts"
import { type Browser, member } from "#test/fixtures/people.ts"
import { type TokenFixture, tokenFixture } from "#test/fixtures/tokens.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"
import { MOST_PICKS } from "./pick.ts"

let viewer: Browser
let stranger: Browser
let key: TestKey
let tokens: TokenFixture
let token: string

usesApp()
beforeAll(async () => {
  const owner = await member(app)
  key = await app.key({ account: owner.account })
  tokens = tokenFixture(app, key)
  viewer = (await member(app, { account: owner.account, role: "viewer" })).browser
  stranger = (await member(app)).browser
  token = await tokens.config({ blocked_countries: ["KP"] })
})

type Picked = { user_pubkey: string; external_id: string | null; investor_id: string } & {
  status: string | null
  at: string | null
  refusal: string | null
}

async function pick(q: string, of: object = { mint_config: token }, browser = viewer) {
  const { data, error } = await browser.query("investor.pick", { q, ...of })
  expect(error).toBeUndefined()
  return data as { data: Picked[]; has_more: boolean }
}
const start = (externalId: string, userPubkey = newWallet()) =>
  tokens.post("/kyc/start", { userPubkey, schemaId: "kyc_individual_v1", externalId }).then(() => userPubkey)

test("a part of a name finds the person's wallets, each with its status for the token", async () => {
  const [verified] = await tokens.walletsOf("emma-larsson-1008", 1)
  const pending = await start("emma-larsson-1008")
  const { data, has_more } = await pick("larsson")
  expect(has_more).toBe(false)
  const of = (wallet: string) => data.find(({ user_pubkey }) => user_pubkey === wallet)!
  expect(data).toHaveLength(2)
  expect(of(verified)).toMatchObject({ external_id: "emma-larsson-1008", status: "verified", refusal: null })
  expect(of(verified).at).toMatch(/^20\d\d-/)
  expect(of(pending)).toMatchObject({ status: "pending", at: null, refusal: "wallet_not_verified" })
})

test("a wallet is found whole, by its start and by the investor's id, before the person's other wallets", async () => {
  const wallets = await tokens.walletsOf("noor-de-vries-2201", 3)
  for (const wallet of wallets) {
    for (const q of [wallet, wallet.slice(0, 6), `${wallet.slice(0, 8)}…${wallet.slice(-8)}`])
      expect((await pick(q)).data[0]!.user_pubkey).toBe(wallet)
  }
  const [{ investor_id }] = (await pick(wallets[0])).data as [Picked]
  expect((await pick(investor_id)).data.map(({ user_pubkey }) => user_pubkey).toSorted()).toEqual(wallets.toSorted())
  expect((await pick(newWallet())).data).toEqual([])
})

test("a verified wallet that the token's rules refuse says which rule, and another token admits it", async () => {
  const [wallet] = await tokens.walletsOf("kim-min-jun-31", 1, { country: "KP" })
  expect((await pick("kim-min")).data).toMatchObject([{ status: "verified", refusal: "country_not_allowed" }])
  const open = await tokens.config()
  expect((await pick("kim-min", { mint_config: open })).data[0]!.refusal).toBeNull()
  await tokens.post("/token/freeze", { user_pubkey: wallet, mint_config: open, ...grounds })
  expect((await pick("kim-min", { mint_config: open })).data[0]!.refusal).toBe("wallet_frozen")
})

test("for a schema, the status is that of this schema, and no rule of a token is checked", async () => {
  await tokens.walletsOf("sofia-rossi-77", 1, { country: "KP" })
  const asked = (schema: string) => pick("sofia-rossi", { schema })
  expect((await asked("kyc_individual_v1")).data).toMatchObject([{ status: "verified", refusal: null }])
  expect((await asked("accredited_investor_v1")).data).toMatchObject([{ status: null, at: null, refusal: null }])
})

test("no claim is in the answer, and more matches than are shown are announced", async () => {
  for (let n = 0; n <= MOST_PICKS; n++) await start(`crowded-${n}`)
  const answer = await pick("crowded")
  expect([answer.data.length, answer.has_more]).toEqual([MOST_PICKS, true])
  expect(JSON.stringify(await pick("kim-min"))).not.toMatch(/KP|Korea/)
})

test("owners are named, an unknown wallet is not, and another workspace sees nothing of it", async () => {
  const [wallet] = await tokens.walletsOf("ada-owner-5", 1)
  const wallets = [wallet, newWallet()]
  const named = await viewer.query("investor.owners", { wallets })
  expect(named.data.data).toEqual([
    { user_pubkey: wallet, external_id: "ada-owner-5", investor_id: expect.stringMatching(/^inv_/) },
  ])
  expect((await stranger.query("investor.owners", { wallets })).data.data).toEqual([])
  expect((await pick("ada-owner", { schema: "kyc_individual_v1" }, stranger)).data).toEqual([])
  const { error } = await stranger.query("investor.pick", { q: "ada-owner", mint_config: token })
  expect(error.error).toBe("mint_config_not_found")
})
