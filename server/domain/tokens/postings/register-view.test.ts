import { beforeAll, expect, test } from "vitest"
import { waitFor } from "#test/fixtures/app.ts"
import { grounds } from "#test/fixtures/grounds.ts"
import { type Browser, member } from "#test/fixtures/people.ts"
import { type TokenFixture, tokenFixture } from "#test/fixtures/tokens.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

let viewer: Browser
let stranger: Browser
let tokens: TokenFixture
let revoke: (wallet: string) => Promise<void>

usesApp()
beforeAll(async () => {
  const owner = await member(app)
  const key = await app.key({ account: owner.account })
  tokens = tokenFixture(app, key)
  viewer = (await member(app, { account: owner.account, role: "viewer" })).browser
  stranger = (await member(app)).browser
  revoke = async (wallet) => {
    const { attestation_id } = (await tokens.get(`/kyc/status/${wallet}?schema=kyc_individual_v1`)).json
    const { status } = await tokens.post(`/attestation/${attestation_id}/revoke`, { reason: "test" })
    expect(status).toBe(200)
  }
})

// biome-ignore lint/suspicious/noExplicitAny: tests read responses of any shape
type View = any

const asked = (procedure: string, input: { mint_config: string; at: string; group: string }): Promise<View> =>
  waitFor(async () => {
    const { data, error } = await viewer.query(procedure, input)
    if (error?.error === "not_final_yet") return null
    expect(error).toBeUndefined()
    return data
  }, `the register at ${input.at}`)

/** The register as the dashboard shows it, once the moment is final. */
const viewAt = (mint_config: string, at: string, more: object = {}): Promise<View> =>
  asked("token.registerView", { ...{ mint_config, at, group: "wallet" }, ...more })

const countsAt = (mint_config: string, at: string, group: "investor" | "wallet" = "wallet") =>
  asked("token.registerCounts", { mint_config, at, group })

const second = () => new Promise((resolve) => setTimeout(resolve, 1100))
const isoNow = () => `${new Date().toISOString().slice(0, 19)}Z`
const standings = ({ data }: View): Record<string, string> =>
  Object.fromEntries(data.map((row: View) => [row.user_pubkey, `${row.standing.status} ${row.unverified}`]))

test("a holder whose verification ended is flagged from then on, and not in the register of an earlier moment", async () => {
  const id = await tokens.config()
  const [alice, bob] = await tokens.wallets(2)
  for (const wallet of [alice, bob]) await tokens.mint(id, wallet, 10)
  const before = isoNow()
  await second()
  await revoke(bob)
  await second()
  const after = isoNow()
  const earlier = await viewAt(id, before)
  expect(standings(earlier)).toEqual({ [alice]: "verified 0", [bob]: "verified 0" })
  expect(earlier.required_schema).toBe("kyc_individual_v1")
  expect(await countsAt(id, before)).toEqual({ holders: 2, unverified: 0 })
  const later = await viewAt(id, after)
  expect(standings(later)).toEqual({ [alice]: "verified 0", [bob]: "revoked 1" })
  expect(await countsAt(id, after)).toEqual({ holders: 2, unverified: 1 })
  expect(standings(await viewAt(id, after, { holders: "unverified" }))).toEqual({ [bob]: "revoked 1" })
  expect((await viewAt(id, before, { holders: "unverified" })).data).toEqual([])
})

test("an investor counts once, and is flagged if one of the wallets is not verified", async () => {
  const id = await tokens.config()
  const [one, two] = await tokens.walletsOf("register-view-investor", 2)
  const [other] = await tokens.wallets(1)
  for (const wallet of [one, two, other]) await tokens.mint(id, wallet, 5)
  await revoke(two)
  await second()
  const at = isoNow()
  const byInvestor = await viewAt(id, at, { group: "investor" })
  expect(await countsAt(id, at, "investor")).toEqual({ holders: 2, unverified: 1 })
  expect(await countsAt(id, at, "wallet")).toEqual({ holders: 3, unverified: 1 })
  const row = byInvestor.data.find(({ wallets }: View) => wallets === 2)
  expect(row).toMatchObject({ unverified: 1, standing: null, external_id: "register-view-investor" })
  const only = await viewAt(id, at, { group: "investor", holders: "unverified" })
  expect(only.data.map(({ investor_id }: View) => investor_id)).toEqual([row.investor_id])
  const wallets = await viewAt(id, at, { investor: row.investor_id })
  expect(standings(wallets)).toEqual({ [one]: "verified 0", [two]: "revoked 1" })
})

test("a freeze that still binds is listed from the moment it began", async () => {
  const id = await tokens.config()
  const [wallet] = await tokens.wallets(1)
  await tokens.mint(id, wallet, 10)
  const before = isoNow()
  await second()
  await tokens.post("/token/freeze", { user_pubkey: wallet, mint_config: id, ...grounds })
  await second()
  const after = isoNow()
  expect((await viewAt(id, before)).data[0].freezes).toEqual([])
  expect((await viewAt(id, after)).data[0].freezes).toMatchObject([{ is_for_every_token: false }])
})

test("pages list each flagged holder once", async () => {
  const id = await tokens.config()
  const wallets = await tokens.wallets(3)
  for (const wallet of wallets) await tokens.mint(id, wallet, 1)
  for (const wallet of wallets) await revoke(wallet)
  await second()
  const at = isoNow()
  for (const group of ["wallet", "investor"] as const) {
    const page = { group, holders: "unverified", limit: 2 }
    const first = await viewAt(id, at, page)
    const rest = await viewAt(id, at, { ...page, cursor: first.next_cursor })
    expect([first.data.length, rest.data.length, rest.next_cursor]).toEqual([2, 1, null])
    expect(await countsAt(id, at, group)).toEqual({ holders: 3, unverified: 3 })
  }
})

test("the register is ordered by balance or by name, both ways, over all of its pages", async () => {
  const id = await tokens.config()
  const names = ["order-Carla", "order-anna", "order-bert"]
  for (const [index, name] of names.entries()) {
    const [wallet] = await tokens.walletsOf(name, 1)
    await tokens.mint(id, wallet!, (index + 1) * 10)
  }
  const [unnamed] = await tokens.wallets(1)
  await tokens.mint(id, unnamed!, 10)
  await second()
  const at = isoNow()
  const namesIn = async (order: string, group: string) => {
    const first = await viewAt(id, at, { order, group, limit: 2 })
    const rest = await viewAt(id, at, { order, group, limit: 2, cursor: first.next_cursor })
    expect(rest.next_cursor).toBeNull()
    return [...first.data, ...rest.data].map(({ external_id }: View) => external_id?.replace("order-", "") ?? null)
  }
  for (const group of ["investor", "wallet"]) {
    expect(await namesIn("name", group)).toEqual(["anna", "bert", "Carla", null])
    expect(await namesIn("name_reversed", group)).toEqual(["Carla", "bert", "anna", null])
    expect((await namesIn("largest", group)).slice(0, 2)).toEqual(["bert", "anna"])
    expect((await namesIn("smallest", group)).slice(2)).toEqual(["anna", "bert"])
  }
  const byBalance = await viewAt(id, at, { order: "largest", limit: 2 })
  const { error } = await viewer.query("token.registerView", {
    ...{ mint_config: id, at, group: "wallet", order: "name" },
    cursor: byBalance.next_cursor,
  })
  expect(error.error).toBe("validation_failed")
})

test("another workspace's token does not exist", async () => {
  const id = await tokens.config()
  const { error } = await stranger.query("token.registerView", { mint_config: id, group: "wallet" })
  expect(error.error).toBe("mint_config_not_found")
  const counts = await stranger.query("token.registerCounts", { mint_config: id, at: isoNow(), group: "wallet" })
  expect(counts.error.error).toBe("mint_config_not_found")
})
