import { beforeAll, beforeEach, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { newId } from "#server/lib/ids.ts"
import { addressOf } from "#server/solana/addresses.ts"
import type { Address } from "#shared/address.ts"
import { newWallet } from "#test/fixtures/app.ts"
import { distributionFixture } from "#test/fixtures/distributions.ts"
import { seedHolders } from "#test/fixtures/holders.ts"
import { whileLedgerPaused } from "#test/fixtures/ledger-pause.ts"
import { createPaymentMint, type TestPaymentMint } from "#test/fixtures/payment-mint.ts"
import { allowMints, paymentFixture } from "#test/fixtures/payments.ts"
import { readySnapshot } from "#test/fixtures/snapshots.ts"
import { app, key, tokens, usesCustomer } from "#test/fixtures/uses-app.ts"
import { differences } from "#test/matchers/credential.ts"

usesCustomer()
const dist = distributionFixture(() => tokens)
let coin: TestPaymentMint
let payments: ReturnType<typeof paymentFixture>
let fund: string
let snapshot: string
let funds: ReturnType<typeof heldFund>[]
let holders: Address[]

/** The three holders have these units, so that a total of 100 cannot be divided evenly. */
const UNITS = [1, 2, 3]
const SUPPLY = 6
/** At least as many as there are tests below. */
const TESTS = 20

beforeAll(async () => {
  coin = await createPaymentMint(app.connection)
  payments = paymentFixture(key.workspaceId, coin)
  allowMints("test", coin)
  holders = [...(await tokens.wallets(3))].sort()
  // A snapshot takes seconds, so those of all tests are taken together.
  funds = Array.from({ length: TESTS }, heldFund)
})

beforeEach(async () => {
  ;({ fund, snapshot } = (await funds.shift())!)
})

async function heldFund(): Promise<{ fund: string; snapshot: string }> {
  const fund = await tokens.config()
  await Promise.all(UNITS.map((units, i) => tokens.mint(fund, holders[i]!, units)))
  return { fund, snapshot: await readySnapshot(tokens, fund, SUPPLY) }
}

const draft = (about: object) => dist.draftOf(snapshot, about)

const stablecoin = (about: object) => ({ settlement: "stablecoin", payment_mint: coin.address, ...about })
const shown = async (id: string) => (await dist.payouts(id)).map(({ amount, status }) => [amount, status])
const unfreeze = (wallet: Address) =>
  tokens.post("/token/unfreeze", { user_pubkey: wallet, mint_config: fund, reason_code: "other", reference: "1" })
const freeze = async (wallet: Address) => {
  const about = { user_pubkey: wallet, mint_config: fund, reason_code: "court_order", reference: "1" }
  expect((await tokens.post("/token/freeze", about)).status).toBe(200)
}

test("a draft shows what every holder gets to the last unit, and pays nothing", async () => {
  const { status, json } = await draft(stablecoin({ total: "0.0001" }))
  expect([status, json]).toMatchObject([
    200,
    { state: "draft", payouts: 3, units: "6", total: "0.0001", allocated: "0.0001", remainder: "0", pending: "0.0001" },
  ])
  // 100 base units over 1, 2 and 3: 16.67, 33.33 and 50.
  expect(await shown(json.distribution_id)).toEqual([
    ["0.000017", "pending"],
    ["0.000033", "pending"],
    ["0.00005", "pending"],
  ])
  const operations = await sql`select from operations where payload ->> 'payout_id' is not null`
  expect(operations).toHaveLength(0)
})

test("what the minimum and exclude leave is the remainder, and sums always add up", async () => {
  const about = { settlement: "external", per_unit: "1.25", minimum: "2.5", exclude: [holders[2]] }
  const { json } = await draft(about)
  expect(json).toMatchObject({
    total: "3.75",
    allocated: "2.5",
    remainder: "1.25",
    payouts: 1,
    units: "2",
    decimals: 2,
  })
})

test("a stablecoin distribution pays each holder once, and its payouts name their transactions", async () => {
  await payments.fund(600n)
  const { json } = await draft(stablecoin({ total: "0.0006" }))
  const { status } = await dist.act(json.distribution_id, "start")
  expect(status).toBe(202)
  expect(await dist.untilState(json.distribution_id, "completed")).toMatchObject({ paid: "0.0006", pending: "0" })
  const paid = await dist.payouts(json.distribution_id)
  expect(paid.map(({ amount, status: now }) => [amount, now])).toEqual([
    ["0.0001", "paid"],
    ["0.0002", "paid"],
    ["0.0003", "paid"],
  ])
  const memos = await app.connection.getSignaturesForAddress(await payments.treasury())
  for (const { payout_id, onchain_tx } of paid)
    expect(memos.filter(({ memo }) => memo?.includes(payout_id)).map(({ signature }) => signature)).toEqual([
      onchain_tx,
    ])
  for (const [i, wallet] of holders.entries()) expect(await payments.received(wallet)).toBe(BigInt(100 * UNITS[i]!))
  expect(await differences()).toEqual([])
})

test("a distribution in kind mints to each holder, and its mints name their payouts", async () => {
  const { json } = await draft({ settlement: "in_kind", per_unit: "2" })
  await dist.act(json.distribution_id, "start")
  expect(await dist.untilState(json.distribution_id, "completed")).toMatchObject({ paid: "12" })
  expect(await Promise.all(holders.map((wallet) => tokens.onChain(fund, wallet)))).toEqual([3n, 6n, 9n])
  for (const { payout_id, operation_id } of await dist.payouts(json.distribution_id))
    expect((await tokens.get(`/token/operation/${operation_id}`)).json).toMatchObject({ kind: "mint", payout_id })
  expect(await differences()).toEqual([])
})

test("an external distribution is completed once every payout is marked as paid", async () => {
  const { json } = await draft({ settlement: "external", total: "100" })
  const [first, ...others] = await dist.payouts(json.distribution_id)
  expect((await dist.markPaid(first!.payout_id)).json.error).toBe("payout_not_open")
  await dist.act(json.distribution_id, "start")
  expect((await dist.markPaid(first!.payout_id)).json).toMatchObject({
    status: "external_paid",
    external_reference: "SEPA 1",
  })
  expect((await dist.markPaid(first!.payout_id)).json.error).toBe("payout_not_open")
  expect(await dist.get(json.distribution_id)).toMatchObject({
    state: "paying",
    external_paid: "16.67",
    pending: "83.33",
  })
  for (const { payout_id } of others) expect((await dist.markPaid(payout_id)).status).toBe(200)
  expect(await dist.get(json.distribution_id)).toMatchObject({ state: "completed", external_paid: "100" })
})

test("no payout of a draft that was cancelled can be marked as paid", async () => {
  const { json } = await draft({ settlement: "external", total: "100" })
  const [first] = await dist.payouts(json.distribution_id)
  await dist.act(json.distribution_id, "cancel")
  expect((await dist.markPaid(first!.payout_id)).json.error).toBe("payout_not_open")
})

test("amounts can be JSON numbers, and are read from their digits", async () => {
  const about = { snapshot_id: snapshot, settlement: "external", reason_code: "dividend", reference: "Q3 2026" }
  for (const [field, sent] of [
    ["total", "1234567890123456.70"],
    ["per_unit", "1.10"],
  ] as const) {
    const body = `{"${field}":${sent},"minimum":0.01,${JSON.stringify(about).slice(1)}`
    const headers = { "content-type": "application/json" }
    const { status, json } = await app.request({
      method: "POST",
      path: "/distributions",
      key: key.apiKey,
      body,
      headers,
    })
    expect([status, json]).toMatchObject([
      200,
      { total: field === "total" ? "1234567890123456.7" : "6.6", minimum: "0.01" },
    ])
  }
})

test.each(["stablecoin", "in_kind", "external"])(
  "%s: what a frozen wallet is owed is withheld and can be released",
  async (settlement) => {
    await payments.fund(600n)
    await freeze(holders[0]!)
    const about = settlement === "stablecoin" ? stablecoin({ total: "0.0006" }) : { settlement, total: "60" }
    const { json } = await draft(about)
    const id = json.distribution_id as string
    const owed = (await dist.payouts(id))[0]!
    expect(owed).toMatchObject({ status: "withheld", withheld_reason: "wallet_frozen" })
    await dist.act(id, "start")
    if (settlement === "external")
      for (const { payout_id } of (await dist.payouts(id)).slice(1)) await dist.markPaid(payout_id)
    expect(await dist.untilState(id, "completed")).toMatchObject({ withheld: owed.amount, pending: "0" })
    const held = await dist.payoutAct(owed.payout_id, "release")
    if (settlement === "external") expect(held.json.error).toBe("payout_not_open")
    else expect(await dist.untilState(id, "completed")).toMatchObject({ withheld: owed.amount })
    expect((await unfreeze(holders[0]!)).status).toBe(200)
    expect((await dist.payoutAct(owed.payout_id, "release")).status).toBe(200)
    if (settlement === "external") await dist.markPaid(owed.payout_id)
    expect(await dist.untilState(id, "completed")).toMatchObject({ withheld: "0" })
  },
)

test("a payout that its owner was paid elsewhere is never paid again", async () => {
  await payments.fund(600n)
  await freeze(holders[1]!)
  const { json } = await draft(stablecoin({ total: "0.0006" }))
  await dist.act(json.distribution_id, "start")
  await dist.untilState(json.distribution_id, "completed")
  const owed = (await dist.payouts(json.distribution_id))[1]!
  expect((await dist.markPaid(owed.payout_id)).status).toBe(200)
  expect((await dist.payoutAct(owed.payout_id, "release")).json.error).toBe("payout_not_open")
  expect(await dist.get(json.distribution_id)).toMatchObject({ paid: "0.0004", external_paid: "0.0002", withheld: "0" })
})

test("a treasury that is empty refuses the start, and a distribution that empties it pauses itself", async () => {
  const other = await createPaymentMint(app.connection)
  allowMints("test", coin, other)
  const about = { settlement: "stablecoin", payment_mint: other.address, total: "0.0006" }
  const { json } = await draft(about)
  const id = json.distribution_id as string
  expect((await dist.act(id, "start")).json.error).toBe("treasury_insufficient")
  const own = paymentFixture(key.workspaceId, other)
  await own.fund(600n)
  const second = (await draft(about)).json.distribution_id as string
  // Each is covered while nothing has left the treasury, and both are not.
  await whileLedgerPaused(async () => {
    for (const one of [id, second]) expect((await dist.act(one, "start")).status).toBe(202)
  })
  await dist.untilState(id, "completed")
  expect(await dist.untilState(second, "paused")).toMatchObject({ paused_because: { error: "treasury_insufficient" } })
  await own.fund(600n)
  expect((await dist.act(second, "start")).status).toBe(202)
  expect(await dist.untilState(second, "completed")).toMatchObject({ paid: "0.0006", withheld: "0" })
  for (const [i, wallet] of holders.entries()) expect(await own.received(wallet)).toBe(BigInt(200 * UNITS[i]!))
})

test("a SOL budget that is used up pauses a distribution and refuses a snapshot", async () => {
  await payments.fund(600n)
  const { json } = await draft(stablecoin({ total: "0.0006" }))
  await sql`update workspaces set budget = 1 where id = ${key.workspaceId}`
  await dist.act(json.distribution_id, "start")
  const paused = await dist.untilState(json.distribution_id, "paused")
  expect(paused).toMatchObject({ pending: "0.0006", paused_because: { error: "sol_budget_exceeded" } })
  const asked = { mint_config: fund, record_at: "2026-01-01T00:00:00Z", name: "Record date" }
  expect(await tokens.post("/snapshots", asked)).toMatchObject({ status: 403, json: { error: "sol_budget_exceeded" } })
  await sql`update workspaces set budget = null where id = ${key.workspaceId}`
  await dist.act(json.distribution_id, "start")
  expect(await dist.untilState(json.distribution_id, "completed")).toMatchObject({ paid: "0.0006" })
})

test("a paused distribution begins nothing until it is started again, and a cancelled one never does", async () => {
  await payments.fund(600n)
  const { json } = await draft(stablecoin({ total: "0.0006" }))
  const id = json.distribution_id as string
  expect((await dist.act(id, "pause")).json.error).toBe("distribution_not_paying")
  await sql`update distributions set state = 'paused', started_at = now() where id = ${id}`
  await new Promise((later) => setTimeout(later, 1000))
  expect(await dist.get(id)).toMatchObject({ state: "paused", pending: "0.0006" })
  expect((await dist.act(id, "cancel")).json).toMatchObject({ state: "cancelled", pending: "0.0006" })
  for (const act of ["start", "pause", "cancel"] as const)
    expect((await dist.act(id, act)).json.error).toBe("distribution_ended")
})

test("a repeated request joins the draft that its key has made", async () => {
  const body = {
    snapshot_id: snapshot,
    settlement: "external",
    total: "100",
    reference: "Once",
  }
  const more = { headers: { "Idempotency-Key": "once-1" } }
  const made = await Promise.all([1, 2, 3].map(() => tokens.post("/distributions", body, more)))
  const ids = new Set(made.filter(({ status }) => status === 200).map(({ json }) => json.distribution_id))
  expect(ids.size).toBe(1)
  const rows = await sql`select from distributions where mint_config = ${fund} and reference = 'Once'`
  expect(rows).toHaveLength(1)
})

test("while a large distribution of a snapshot is drafted, another one is refused for seconds", async () => {
  const config = await tokens.config()
  const many = Array.from({ length: 1001 }, newWallet)
  await seedHolders(key.workspaceId, { config, like: holders[0]!, holders: many })
  const id = await readySnapshot(tokens, config, many.length)
  const large = () => dist.draftOf(id, { settlement: "external", per_unit: "1" })
  await sql.begin(async (sql) => {
    await sql`select from snapshots where id = ${id} for update`
    expect(await large()).toMatchObject({
      status: 503,
      headers: { "retry-after": "5" },
      json: { error: "server_busy" },
    })
  })
  expect(await large()).toMatchObject({ status: 200, json: { payouts: 1001 } })
})

test("requests that cannot be paid are refused", async () => {
  const codeOf = async (about: object) => (await draft(about)).json.error
  expect(await codeOf({ settlement: "stablecoin", total: "1" })).toBe("validation_failed")
  expect(await codeOf({ settlement: "in_kind", total: "1", per_unit: "1" })).toBe("validation_failed")
  expect(await codeOf({ settlement: "in_kind", total: "1.5" })).toBe("invalid_amount")
  expect(await codeOf({ settlement: "external", total: "1", exclude: holders })).toBe("validation_failed")
  const nowhere = { settlement: "stablecoin", payment_mint: newWallet(), total: "1" }
  expect(await codeOf(nowhere)).toBe("payment_mint_refused")
  const authority = addressOf(await payments.treasury())
  expect((await draft({ settlement: "external", total: "1", exclude: [authority] })).status).toBe(200)
})

test("only a snapshot that is ready is paid, and its record date is the distribution's", async () => {
  const about = { settlement: "external", total: "1" }
  const unknown = await dist.draftOf(newId("snap"), about)
  expect(unknown).toMatchObject({
    status: 404,
    json: { error: "snapshot_not_found", detail: expect.stringMatching(/^snapshot_id: /) },
  })
  const later = { mint_config: fund, record_at: "2999-01-01T00:00:00Z", name: "Record date" }
  const early = await dist.draftOf((await tokens.post("/snapshots", later)).json.snapshot_id, about)
  expect(early).toMatchObject({ status: 409, json: { error: "snapshot_not_ready" } })
  const { record_at } = (await tokens.get(`/snapshot/${snapshot}`)).json
  const { json } = await draft(about)
  expect(json).toMatchObject({ snapshot_id: snapshot, mint_config: fund, record_at, complete: true })
})

test("the holders in the snapshot are paid, also after they moved the token", async () => {
  const { text } = await tokens.get(`/snapshot/${snapshot}/holders.csv`)
  expect((await tokens.transfer(fund, holders[2]!, holders[0]!, 3)).status).toBe(200)
  const { json } = await dist.draftOf(snapshot, { settlement: "external", per_unit: "1" })
  const lines = (await dist.payouts(json.distribution_id)).map(
    ({ user_pubkey, units }) => `${user_pubkey},${units},0\n`,
  )
  expect(`user_pubkey,balance,held\n${lines.sort().join("")}`).toBe(text)
})
