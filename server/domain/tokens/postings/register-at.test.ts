import { expect, test } from "vitest"
import { waitFor } from "#test/fixtures/app.ts"
import { grounds } from "#test/fixtures/grounds.ts"
import { tokenFixture } from "#test/fixtures/tokens.ts"
import { app, key, tokens, usesCustomer } from "#test/fixtures/uses-app.ts"
import { compareWithReplay } from "#test/replay/compare-register.ts"

usesCustomer()

type Row = { user_pubkey: string | null; balance: string; held: string; available: string; investor_id: string | null }

const ask = (id: string, query: Record<string, string> = {}) =>
  app.request({ method: "GET", path: `/token/register/${id}?${new URLSearchParams(query)}`, key: key.apiKey })

/** The register at a moment, once it is final, read in small pages. */
async function registerAt(id: string, at: string, more: Record<string, string> = {}): Promise<Row[]> {
  const all: Row[] = []
  for (let cursor: string | null = ""; cursor !== null; ) {
    const json = await waitFor(async () => {
      const response = await ask(id, { at, limit: "2", ...more, ...(cursor && { cursor }) })
      if (response.json.error === "not_final_yet") return null
      expect(response.status).toBe(200)
      return response.json
    }, `the register at ${at}`)
    all.push(...json.data)
    cursor = json.next_cursor
  }
  return all
}

const isoOf = (seconds: number) => new Date(seconds * 1000).toISOString().replace(".000", "")
const balancesIn = (rows: readonly Row[]) => Object.fromEntries(rows.map((row) => [row.user_pubkey, row.balance]))

/** When an operation's transaction landed, in Unix seconds, and its slot. */
async function landingOf({ json }: { json: { onchain_tx: string } }): Promise<{ slot: number; time: number }> {
  const { value } = await app.connection.getSignatureStatus(json.onchain_tx, { searchTransactionHistory: true })
  return { slot: value!.slot, time: (await app.connection.getBlockTime(value!.slot))! }
}

test("what landed in the second or the slot of the moment counts, and what landed later does not", async () => {
  const id = await tokens.config()
  const [alice, bob] = await tokens.wallets(2)
  await tokens.mint(id, alice, 10)
  await new Promise((resolve) => setTimeout(resolve, 1100))
  const moved = await landingOf(await tokens.transfer(id, alice, bob, 4))
  expect(balancesIn(await registerAt(id, isoOf(moved.time - 1)))).toEqual({ [alice]: "10" })
  expect(balancesIn(await registerAt(id, isoOf(moved.time)))).toEqual({ [alice]: "6", [bob]: "4" })
  expect(balancesIn(await registerAt(id, String(moved.slot - 1)))).toEqual({ [alice]: "10" })
  expect(balancesIn(await registerAt(id, String(moved.slot)))).toEqual({ [alice]: "6", [bob]: "4" })
  const { json } = await ask(id, { at: String(moved.slot) })
  expect(json).toMatchObject({ as_of: { slot: moved.slot, time: isoOf(moved.time) }, supply: "10", complete: true })
  expect(json.data.map(({ percent }: { percent: string }) => percent).toSorted()).toEqual(["40", "60"])
})

test("a moment that is not final yet is refused", async () => {
  const id = await tokens.config()
  const far = { at: "2099-01-01T00:00:00Z" }
  expect(await ask(id, far)).toMatchObject({ status: 422, json: { error: "not_final_yet" } })
  expect(await ask(id, { at: "999999999999" })).toMatchObject({ status: 422, json: { error: "not_final_yet" } })
  expect(await ask(id, { at: "yesterday" })).toMatchObject({ status: 422, json: { error: "validation_failed" } })
})

test("a cursor cannot ask for a moment that is not final, nor change what others read of it later", async () => {
  const id = await tokens.config()
  const [alice] = await tokens.wallets(1)
  await tokens.mint(id, alice, 10)
  const seconds = Math.ceil(Date.now() / 1000) + 5
  for (const moment of [`.${seconds}`, "999999999999999.1", `.${10 ** 11 - 1}`]) {
    const cursor = Buffer.from(`${moment}/1`).toString("base64url")
    expect(await ask(id, { cursor })).toMatchObject({ status: 422, json: { error: "not_final_yet" } })
  }
  await tokens.mint(id, alice, 90)
  expect(balancesIn(await registerAt(id, isoOf(seconds)))).toEqual({ [alice]: "100" })
  expect((await ask(id, { at: isoOf(seconds) })).json).toMatchObject({ supply: "100", data: [{ percent: "100" }] })
})

test("the register at many moments equals a replay of the chain", async () => {
  const id = await tokens.config()
  const [alice, bob, carol] = await tokens.wallets(3)
  const wallets = [alice, bob, carol]
  const pick = () => wallets[Math.floor(Math.random() * wallets.length)]!
  for (const wallet of wallets) await tokens.mint(id, wallet, 20)
  for (let n = 0; n < 12; n++) {
    const [from, to] = [pick(), pick()]
    if (n % 4 === 3)
      await tokens.post("/token/burn", {
        ...{ user_pubkey: from, mint_config: id, amount: "1", holder_consent: true, ...grounds },
      })
    else if (from !== to) await tokens.transfer(id, from, to, 1 + (n % 3))
    else await tokens.mint(id, to, 2)
  }
  const last = await tokens.mint(id, alice, 1)
  await compareWithReplay(id, last.json.onchain_tx)
})

test("wallets of an investor are one row, and holds lower what was available", async () => {
  const id = await tokens.config()
  const [one, two] = await tokens.walletsOf("investor-at-a-date", 2)
  const [other] = await tokens.wallets(1)
  for (const wallet of [one, two, other]) await tokens.mint(id, wallet, 5)
  await tokens.post("/token/holds", { user_pubkey: one, mint_config: id, amount: "2", ...grounds })
  const now = isoOf(Math.ceil(Date.now() / 1000))
  const rows = await registerAt(id, now, { group: "investor" })
  expect(rows).toHaveLength(2)
  const both = rows.find(({ balance }) => balance === "10")!
  expect(both).toMatchObject({ user_pubkey: null, wallets: 2, available: "8", held: "2" })
  const own = await registerAt(id, now, { investor: both.investor_id! })
  expect(own.map(({ user_pubkey }) => user_pubkey).toSorted()).toEqual([one, two].toSorted())
  const reader = await app.key({ scopes: ["token:read"] })
  const path = `/token/register/${id}?group=investor`
  expect((await app.request({ method: "GET", path, key: reader.apiKey })).status).toBe(403)
})

test("another workspace sees nothing", async () => {
  const id = await tokens.config()
  const stranger = tokenFixture(app, await app.key())
  expect((await stranger.get(`/token/register/${id}`)).status).toBe(404)
})
