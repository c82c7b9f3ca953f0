import { afterAll, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { newWallet, startTestApp, type TestApp, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { whileLedgerPaused } from "#test/fixtures/ledger-pause.ts"
import { member } from "#test/fixtures/people.ts"
import { officerOf, type TestList, testList, waitForEntries } from "#test/fixtures/screening.ts"
import { type TokenFixture, tokenFixture } from "#test/fixtures/tokens.ts"

const stranger = newWallet()
let app: TestApp
let key: TestKey
let list: TestList
let tokens: TokenFixture
/** All wallets on the list so far. */
const listed: string[] = [stranger]

beforeAll(async () => {
  list = await testList("ofac.txt", listed)
  app = await startTestApp({ VOUCH_SANCTIONS_LIST: list.path })
  key = await app.key({ mode: "live", plan: "enterprise" })
  tokens = tokenFixture(app, key)
})
afterAll(async () => {
  await app.stop()
  await list.remove()
})

async function addToList(...wallets: string[]) {
  listed.push(...wallets)
  await list.write(listed)
  await waitForEntries(app, listed.length)
}

const start = (wallet: string, by = key) =>
  app.request({
    method: "POST",
    path: "/kyc/start",
    key: by.apiKey,
    json: { userPubkey: wallet, schemaId: "kyc_individual_v1" },
  })

const reviewsOf = (wallet: string, by = key) =>
  sql<{ id: string; state: string; ending: string | null }[]>`
    select id, state, ending from reviews
    where workspace_id = ${by.workspaceId} and wallet = ${wallet} and kind = 'screening' order by seq`

const reviewOf = (wallet: string, by = key) =>
  waitFor(async () => (await reviewsOf(wallet, by))[0] ?? null, "the review")

test("starting a verification of a listed wallet is refused, uses no quota, and opens one review", async () => {
  const answers = await Promise.all(Array.from({ length: 5 }, () => start(stranger)))
  for (const { status, json } of answers) {
    expect([status, json.error]).toEqual([403, "wallet_sanctioned"])
    expect(json.detail).not.toMatch(/ofac|OFAC|list/)
  }
  expect(await reviewsOf(stranger)).toHaveLength(1)
  const { json: usage } = await app.request({ method: "GET", path: "/usage", key: key.apiKey })
  expect(usage.used).toBe(0)
  const [hit] = await sql`select * from screening_hits where wallet = ${stranger}`
  expect(hit).toMatchObject({ list: "ofac.txt", entries: 1, frozen_at: null, cleared_at: null })
  expect(hit!.digest).toMatch(/^[0-9a-f]{64}$/)
})

test("a wallet listed after its verification can neither receive nor send tokens", async () => {
  const config = await tokens.config()
  const [alice, bob] = await tokens.wallets(2)
  expect((await tokens.mint(config, alice, 10)).status).toBe(200)
  await addToList(alice)
  await reviewOf(alice)
  const before = await tokens.trace(config)
  for (const refused of [
    await tokens.mint(config, alice, 1),
    await tokens.transfer(config, alice, bob, 1),
    await tokens.mint(config, bob, 1).then(() => tokens.transfer(config, bob, alice, 1)),
  ])
    expect([refused.status, refused.json.error]).toEqual([403, "wallet_sanctioned"])
  const after = await tokens.trace(config)
  expect(after.operations).toHaveLength(before.operations.length + 1)
  expect(await reviewsOf(alice)).toHaveLength(1)
  expect((await tokens.get(`/kyc/status/${alice}`)).json.status).toBe("verified")
})

test("a queued mint is refused at signing once its wallet is on the list", async () => {
  const config = await tokens.config()
  const [alice] = await tokens.wallets(1)
  let waiting: ReturnType<typeof tokens.mint>
  await whileLedgerPaused(async () => {
    waiting = tokens.mint(config, alice, 10)
    await waitFor(
      async () => (await tokens.trace(config)).operations.some(({ status }) => status === "queued"),
      "the mint to be queued",
    )
    await addToList(alice)
  })
  const { status, json } = await waiting!
  expect([status, json.error]).toEqual([403, "wallet_sanctioned"])
  const { operations, holdings, onChain } = await tokens.trace(config)
  expect(operations.map((one) => one.status)).toEqual(["failed"])
  expect([holdings, onChain]).toEqual([[], 0n])
})

test("with mints during a change of the list, only those signed before it land", async () => {
  const config = await tokens.config()
  const [alice] = await tokens.wallets(1)
  const adding = addToList(alice)
  const answers: [number, string | undefined][] = []
  while (answers.at(-1)?.[0] !== 403) {
    const { status, json } = await tokens.mint(config, alice, 1)
    answers.push([status, json.error])
  }
  await adding
  expect(answers.slice(0, -1).every(([status]) => status === 200)).toBe(true)
  expect(answers.at(-1)).toEqual([403, "wallet_sanctioned"])
  const landed = await tokens.onChain(config, alice)
  expect(landed).toBe(BigInt(answers.length - 1))
  expect((await tokens.mint(config, alice, 1)).status).toBe(403)
})

test("preflight shows the match and records nothing", async () => {
  const { browser, account } = await member(app)
  const own = await app.key({ account })
  const fixture = tokenFixture(app, own)
  const config = await fixture.config()
  const wallet = newWallet()
  await addToList(wallet)
  const { data } = await browser.query("token.formPreflight", {
    kind: "mint",
    mint_config: config,
    user_pubkey: wallet,
    amount: "1",
  })
  expect(data.answer).toMatchObject({ status: 403, error: "wallet_sanctioned" })
  expect(data.rules.find((rule: { code: string }) => rule.code === "wallet_sanctioned").outcome).toBe("refused")
  expect(await reviewsOf(wallet, own)).toEqual([])
})

test("clearing a false match serves the wallet again, only in this workspace", async () => {
  const team = await officerOf(app)
  const wallet = newWallet()
  await addToList(wallet)
  const other = await app.key()
  for (const by of [team.key, other]) expect((await start(wallet, by)).status).toBe(403)
  const review = await reviewOf(wallet, team.key)
  expect(await team.decide(review.id, "clear")).toMatchObject({ state: "closed" })
  expect((await start(wallet, team.key)).status).toBe(200)
  expect((await start(wallet, other)).status).toBe(403)
  // A new version with the same wallet is no new match; another list would be.
  await addToList(newWallet())
  expect((await start(wallet, team.key)).status).toBe(200)
  const entries = await sql`
    select action, detail from audit_entries where workspace_id = ${team.key.workspaceId} and subject = ${wallet}`
  expect(entries).toMatchObject([{ action: "wallet.cleared", detail: { lists: ["ofac.txt"], review: review.id } }])
})

test("a wallet that leaves the list is served again, its review closes, and its return is a new match", async () => {
  const team = await officerOf(app)
  const wallet = newWallet()
  await addToList(wallet)
  expect((await start(wallet, team.key)).status).toBe(403)
  await team.decide((await reviewOf(wallet, team.key)).id, "clear")
  const others = listed.filter((one) => one !== wallet)
  listed.splice(0, listed.length, ...others)
  await addToList()
  await waitFor(
    async () =>
      (await sql`select from screening_hits where workspace_id = ${team.key.workspaceId} and gone_at is not null`)
        .length > 0,
    "the exception to end",
  )
  expect((await start(wallet, team.key)).status).toBe(200)
  await addToList(wallet)
  await waitFor(async () => (await reviewsOf(wallet, team.key)).some(({ state }) => state === "open"), "another review")
  listed.splice(0, listed.length, ...others)
  await addToList()
  await waitFor(async () => (await reviewsOf(wallet, team.key)).at(-1)!.ending === "unlisted", "the review to close")
})
