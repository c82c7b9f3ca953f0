import { afterAll, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { settleVanished } from "#server/ledger/settle.ts"
import { addDays, clock, toTimestamp } from "#server/lib/time.ts"
import type { TestKey } from "#test/fixtures/app.ts"
import { approve, type ProvenMember, provenMember, requireApproval } from "#test/fixtures/approvals.ts"
import { document_sha256, grounds } from "#test/fixtures/grounds.ts"
import { ledgerAtRest } from "#test/fixtures/ledger-at-rest.ts"
import { changeMode, modeSettled } from "#test/fixtures/mode-changes.ts"
import { type TokenFixture, tokenFixture } from "#test/fixtures/tokens.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"
import { differences } from "#test/matchers/credential.ts"

let officer: ProvenMember
let account: ProvenMember["account"]
let key: TestKey
let tokens: TokenFixture

usesApp()
beforeAll(async () => {
  const owner = await provenMember(app)
  account = owner.account
  officer = await provenMember(app, { role: "compliance", account })
  key = await app.key({ account })
  tokens = tokenFixture(app, key)
})
// The audit compares every sum of lots with its balance. One test makes the chain repeat a transfer, which it reports.
afterAll(async () => {
  const found = await differences()
  expect(found.filter(({ kind }: { kind: string }) => kind === "token_lots" || kind === "token_holding")).toEqual([])
})

const US = { country: "US" }
const DE = { country: "DE" }

const lotsOf = async (config: string, wallet: string, query = "") => {
  const { status, json, text } = await tokens.get(`/token/lots/${wallet}?mint_config=${config}${query}`)
  expect(status, text).toBe(200)
  return json
}
const amountsOf = async (config: string, wallet: string) =>
  ((await lotsOf(config, wallet)).data as { amount: string; exemption: string }[]).map((lot) => [
    lot.amount,
    lot.exemption,
  ])
const mintLot = async (mint_config: string, user_pubkey: string, amount: string, exemption: string) => {
  const answer = await tokens.post("/token/mint", { user_pubkey, mint_config, amount, lot: { exemption } })
  expect(answer.status, answer.text).toBe(200)
  return answer.json.operation_id as string
}
const force = (mint_config: string, from_pubkey: string, to_pubkey: string, amount: string) =>
  tokens.post("/token/force-transfer", {
    ...{ from_pubkey, to_pubkey, mint_config, amount, ...grounds, document_sha256 },
  })
const burn = (mint_config: string, user_pubkey: string, amount: string) =>
  tokens.post("/token/burn", { user_pubkey, mint_config, amount, ...grounds, holder_consent: true })
/** As if the wallet had acquired what it has so many days earlier. */
const age = (config: string, wallet: string, days: number) => sql`
  update lots set acquired_at = acquired_at - ${days} * interval '1 day'
  where workspace_id = ${key.workspaceId} and mint_config = ${config} and wallet = ${wallet}`

test("each mint makes a lot with its exemption and the time at which it landed", async () => {
  const config = await tokens.config()
  const [wallet] = await tokens.wallets(1)
  const before = toTimestamp(clock.now())
  const operationId = await mintLot(config, wallet, "25", "reg_d_506c")
  await tokens.mint(config, wallet, "1")
  const { data, next_cursor } = await lotsOf(config, wallet)
  expect(next_cursor).toBeNull()
  expect(data).toMatchObject([
    { amount: "25", exemption: "reg_d_506c", mint_config: config, locked: false, locked_until: null },
    { amount: "1", exemption: "none" },
  ])
  expect(data[0].acquired_at >= before && data[0].acquired_at <= toTimestamp(clock.now())).toBe(true)
  const rows = await sql`select operation_id from lots where id = ${data[0].lot_id}`
  expect(rows[0]!.operation_id).toBe(operationId)
})

test("a transfer takes the oldest units and the receiver acquires them now, under their exemption", async () => {
  const config = await tokens.config()
  const [from, to] = await tokens.wallets(2)
  await mintLot(config, from, "3", "reg_s")
  await mintLot(config, from, "3", "reg_a")
  await age(config, from, 400)
  expect((await tokens.transfer(config, from, to, "4")).status).toBe(200)
  expect(await amountsOf(config, from)).toEqual([["2", "reg_a"]])
  const { data } = await lotsOf(config, to)
  expect(data).toMatchObject([
    { amount: "3", exemption: "reg_s" },
    { amount: "1", exemption: "reg_a" },
  ])
  for (const lot of data) expect(lot.acquired_at > toTimestamp(addDays(clock.now(), -1))).toBe(true)
})

test("forced transfers, and transfers between two wallets of one investor, keep dates and exemptions", async () => {
  const config = await tokens.config()
  const [first, second] = await tokens.walletsOf("two-wallets", 2)
  const [other] = await tokens.wallets(1)
  await mintLot(config, first, "5", "reg_d_506b")
  await age(config, first, 400)
  const dated = (await lotsOf(config, first)).data[0].acquired_at
  expect((await tokens.transfer(config, first, second, "4")).status).toBe(200)
  expect((await force(config, second, other, "3")).status).toBe(200)
  for (const [wallet, amount] of [
    [first, "1"],
    [second, "1"],
    [other, "3"],
  ] as const)
    expect((await lotsOf(config, wallet)).data).toMatchObject([{ amount, exemption: "reg_d_506b", acquired_at: dated }])
})

test("a burn takes the oldest units, and a wallet that has none left has no lot", async () => {
  const config = await tokens.config()
  const [wallet] = await tokens.wallets(1)
  await mintLot(config, wallet, "2", "reg_s")
  await mintLot(config, wallet, "2", "reg_a")
  await burn(config, wallet, "3")
  expect(await amountsOf(config, wallet)).toEqual([["1", "reg_a"]])
  await burn(config, wallet, "1")
  expect(await amountsOf(config, wallet)).toEqual([])
})

test("an operation that vanished and is done again changes no lot a second time", async () => {
  const config = await tokens.config()
  const [from, to] = await tokens.wallets(2)
  await mintLot(config, from, "5", "reg_s")
  const { json } = await tokens.transfer(config, from, to, "2")
  const [row] = await sql`select signature from operations where id = ${json.operation_id}`
  await sql`update transactions set finalized_at = null where signature = ${row!.signature}`
  const before = [await lotsOf(config, from), await lotsOf(config, to)]
  expect(await settleVanished(row!.signature)).toEqual([json.operation_id])
  await ledgerAtRest()
  expect([await lotsOf(config, from), await lotsOf(config, to)]).toEqual(before)
}, 60_000)

test("the list is paged, the oldest first", async () => {
  const config = await tokens.config()
  const [wallet] = await tokens.wallets(1)
  for (const amount of ["1", "2", "3"]) await tokens.mint(config, wallet, amount)
  const first = await lotsOf(config, wallet, "&limit=2")
  expect(first.data.map((lot: { amount: string }) => lot.amount)).toEqual(["1", "2"])
  const second = await lotsOf(config, wallet, `&limit=2&cursor=${first.next_cursor}`)
  expect(second).toMatchObject({ data: [{ amount: "3" }], next_cursor: null })
  const cursors = ["999999999999999/1", "253402300800000/1", "-62135596800001/1"].map((place) =>
    Buffer.from(place).toString("base64url"),
  )
  for (const cursor of ["AAAA", ...cursors]) {
    const wrong = await tokens.get(`/token/lots/${wallet}?mint_config=${config}&cursor=${cursor}`)
    expect([wrong.status, wrong.json.error]).toEqual([422, "validation_failed"])
  }
})

test("a mint with an earlier date needs an approval, and one in the future is refused", async () => {
  const config = await tokens.config()
  const [wallet] = await tokens.wallets(1)
  const body = { user_pubkey: wallet, mint_config: config, amount: "1" }
  const dated = (acquired_at: string) => tokens.post("/token/mint", { ...body, lot: { acquired_at } })
  const future = await dated(toTimestamp(addDays(clock.now(), 1)))
  expect([future.status, future.json.error]).toEqual([422, "validation_failed"])
  expect((await dated("9999-12-31T23:59:59Z")).status).toBe(422)
  const misspelled = await tokens.post("/token/mint", { ...body, lot: { aquired_at: "2024-02-29T12:00:00Z" } })
  expect([misspelled.status, misspelled.json.detail]).toEqual([422, expect.stringContaining("aquired_at")])
  const past = await dated("2024-02-29T12:00:00Z")
  expect([past.status, past.json.status], past.text).toEqual([202, "awaiting_approval"])
  expect((await lotsOf(config, wallet)).data).toEqual([])
  expect((await approve(officer, past.json.approval_id)).status).toBe(200)
  await ledgerAtRest()
  expect((await lotsOf(config, wallet)).data).toMatchObject([{ acquired_at: "2024-02-29T12:00:00Z", amount: "1" }])
})

test("a policy about earlier dates says who approves", async () => {
  const config = await tokens.config()
  const [wallet] = await tokens.wallets(1)
  const policyId = await requireApproval(account, ["lot_backdate"], { mint_config: config })
  const lot = { exemption: "reg_s", acquired_at: "2024-02-29T12:00:00Z" }
  const { json } = await tokens.post("/token/mint", { user_pubkey: wallet, mint_config: config, amount: "1", lot })
  const approval = await tokens.get(`/approval/${json.approval_id}`)
  expect(approval.json).toMatchObject({ action: "mint", policy_id: policyId, request: { lot } })
})

test("in holder mode lots follow what Vouch moves, and a count on the way back sets the sums right", async () => {
  const config = await tokens.config()
  const [wallet, other] = await tokens.wallets(2)
  await mintLot(config, wallet, "5", "reg_s")
  await changeMode({ tokens, key }, config, "holder")
  await modeSettled({ key }, config)
  await tokens.transfer(config, wallet, other, "2")
  // As if the holder had received 3 past Vouch, and another had sent them.
  await sql`update holdings set balance = balance + 3 where mint_config = ${config} and wallet = ${wallet}`
  expect(await amountsOf(config, wallet)).toEqual([
    ["3", "reg_s"],
    ["3", "none"],
  ])
  await changeMode({ tokens, key }, config, "agent")
  await modeSettled({ key }, config)
  // The oldest make way.
  expect(await amountsOf(config, wallet)).toEqual([["3", "none"]])
  expect(await amountsOf(config, other)).toEqual([["2", "reg_s"]])
}, 60_000)

test("a holding period lets only older units be transferred, and names when the next ones can be", async () => {
  const config = await tokens.config({ holding_period_days: { us: 365, non_us: 40 } })
  const [us] = await tokens.wallets(1, US)
  const [de, to] = await tokens.wallets(2, DE)
  for (const wallet of [us, de]) {
    await tokens.mint(config, wallet, "3")
    await age(config, wallet, 100)
    await tokens.mint(config, wallet, "2")
  }
  expect((await tokens.transfer(config, de, to, "3")).status).toBe(200)
  const refused = await tokens.transfer(config, de, to, "1")
  expect([refused.status, refused.json.error]).toEqual([403, "holding_period"])
  const [next] = (await lotsOf(config, de)).data
  expect(next).toMatchObject({ amount: "2", locked: true })
  expect(refused.json.detail).toContain(`can transfer 0 at most`)
  expect(refused.json.detail).toContain(`next_unlock_at: ${next.locked_until}`)
  // A US investor must hold for longer.
  expect((await tokens.transfer(config, us, to, "1")).json.error).toBe("holding_period")
  // What was received begins a new period.
  expect((await tokens.transfer(config, to, us, "1")).json.error).toBe("holding_period")
  // Forced acts are not bound.
  expect((await force(config, us, to, "1")).status).toBe(200)
  expect((await burn(config, us, "1")).status).toBe(200)
})

test("held units are not taken off the unlocked ones a second time", async () => {
  const config = await tokens.config({ holding_period_days: { us: 365, non_us: 40 } })
  const [de, to] = await tokens.wallets(2, DE)
  await tokens.mint(config, de, "3")
  await age(config, de, 100)
  await tokens.mint(config, de, "2")
  const held = { user_pubkey: de, mint_config: config, amount: "2", ...grounds }
  expect((await tokens.post("/token/holds", held)).status).toBe(200)
  expect((await tokens.transfer(config, de, to, "3")).status).toBe(200)
})

test("transfers that begin together share what is unlocked", async () => {
  const config = await tokens.config({ holding_period_days: { us: 365, non_us: 40 } })
  const [de, to] = await tokens.wallets(2, DE)
  await tokens.mint(config, de, "3")
  await age(config, de, 100)
  await tokens.mint(config, de, "20")
  const answers = await Promise.all(Array.from({ length: 10 }, () => tokens.transfer(config, de, to, "1")))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
  expect(await amountsOf(config, de)).toEqual([["20", "none"]])
})

test("a missing country or a missing date refuses", async () => {
  const config = await tokens.config({ holding_period_days: { us: 0, non_us: 0 } })
  const [unknown] = await tokens.wallets(1, {})
  const [de, to] = await tokens.wallets(2, DE)
  await tokens.mint(config, unknown, "1")
  expect((await tokens.transfer(config, unknown, to, "1")).json.error).toBe("holding_period")
  await tokens.mint(config, de, "1")
  await sql`update lots set acquired_at = null where mint_config = ${config} and wallet = ${de}`
  expect((await tokens.transfer(config, de, to, "1")).json.error).toBe("holding_period")
  expect((await lotsOf(config, de)).data).toMatchObject([{ acquired_at: null, locked: true, locked_until: null }])
})

test("one investor moves locked units between their wallets, and none to others", async () => {
  const config = await tokens.config({ holding_period_days: { us: 365, non_us: 40 } })
  const [first, second] = await tokens.walletsOf("locked-units", 2)
  const [other] = await tokens.wallets(1, US)
  await tokens.mint(config, first, "2")
  expect((await tokens.transfer(config, first, second, "2")).status).toBe(200)
  expect((await tokens.transfer(config, second, other, "1")).json.error).toBe("holding_period")
})

test("until a date, nothing flows from outside the US to US investors", async () => {
  const config = await tokens.config({ no_flowback_until: "9999-12-31T23:59:59Z" })
  const [us, other] = await tokens.wallets(2, US)
  const [de] = await tokens.wallets(1, DE)
  const [unknown] = await tokens.wallets(1, {})
  for (const wallet of [us, de, unknown]) expect((await tokens.mint(config, wallet, "5")).status).toBe(200)
  const errorOf = async (from: string, to: string) => (await tokens.transfer(config, from, to, "1")).json.error
  expect(await errorOf(de, us)).toBe("flowback_blocked")
  expect(await errorOf(unknown, us)).toBe("flowback_blocked")
  expect(await errorOf(de, unknown)).toBe("flowback_blocked")
  expect([await errorOf(us, other), await errorOf(us, de), await errorOf(unknown, de)]).toEqual([null, null, null])
  expect((await force(config, de, us, "1")).status).toBe(200)
})
