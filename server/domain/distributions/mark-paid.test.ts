import { beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { createAccount } from "#server/domain/onboarding/create-account.ts"
import { newId } from "#server/lib/ids.ts"
import type { Address } from "#shared/address.ts"
import { distributionFixture } from "#test/fixtures/distributions.ts"
import { grounds } from "#test/fixtures/grounds.ts"
import { type Browser, member } from "#test/fixtures/people.ts"
import { readySnapshot } from "#test/fixtures/snapshots.ts"
import { type TokenFixture, tokenFixture } from "#test/fixtures/tokens.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

usesApp()
let tokens: TokenFixture
let browser: Browser
let workspaceId: string
let fund: string
let snapshot: string
let holders: Address[]
const dist = distributionFixture(() => tokens)

beforeAll(async () => {
  const account = await createAccount({ name: newId("acct"), plan: "free" })
  ;({ browser, workspaceId } = await member(app, { account }))
  tokens = tokenFixture(app, await app.key({ account }))
  fund = await tokens.config()
  holders = [...(await tokens.wallets(3))].sort()
  await Promise.all(holders.map((wallet, i) => tokens.mint(fund, wallet, i + 1)))
  snapshot = await readySnapshot(tokens, fund, 6)
})

const draft = async (about: object = { settlement: "external", total: "600" }): Promise<string> =>
  (await dist.draftOf(snapshot, about)).json.distribution_id
async function started(about?: object): Promise<string> {
  const id = await draft(about)
  expect((await dist.act(id, "start")).status).toBe(202)
  return id
}
const payoutIds = async (id: string) => (await dist.payouts(id)).map(({ payout_id }) => payout_id)
const mark = (id: string, which: object, external_reference = "SEPA batch 7") =>
  browser.mutate("distribution.markManyPaid", { id, external_reference, ...which })
const count = async (id: string, filter: object = {}) =>
  (await browser.query("distribution.markable", { id, ...filter })).data
const entries = (ids: string[]) => sql<{ subject: string; actor: string; detail: object }[]>`
  select subject, actor, detail from audit_entries
  where workspace_id = ${workspaceId} and action = 'payout.marked_paid' and subject = any(${ids}) order by subject`

test("payouts are marked together under one reference, each with its entry, and the last completes the distribution", async () => {
  const id = await started()
  const ids = await payoutIds(id)
  expect((await mark(id, { payout_ids: ids.slice(0, 2) })).data).toEqual({ marked: 2, amount: "300", not_marked: [] })
  expect(await dist.get(id)).toMatchObject({ state: "paying", external_paid: "300", pending: "300" })
  expect((await mark(id, { payout_ids: ids.slice(2) })).data).toMatchObject({ marked: 1, amount: "300" })
  expect(await dist.get(id)).toMatchObject({ state: "completed", external_paid: "600" })
  for (const payout of await dist.payouts(id))
    expect(payout).toMatchObject({ status: "external_paid", external_reference: "SEPA batch 7" })
  expect([...(await entries(ids))]).toEqual(
    [...ids].sort().map((subject) => ({
      ...{ subject, actor: "user" },
      detail: { distribution: id, external_reference: "SEPA batch 7" },
    })),
  )
})

test("what cannot be marked is returned with its status and stops no others", async () => {
  const [id, other] = [await started(), await started()]
  const ids = await payoutIds(id)
  const [elsewhere] = await payoutIds(other)
  await dist.markPaid(ids[0]!, "SEPA 1")
  const unknown = newId("pay")
  const { data } = await mark(id, { payout_ids: [...ids, ids[1], unknown, elsewhere] })
  expect(data).toEqual({
    ...{ marked: 2, amount: "500" },
    not_marked: [
      { payout_id: ids[0], status: "external_paid", external_reference: "SEPA 1" },
      { payout_id: unknown, status: null, external_reference: null },
      { payout_id: elsewhere, status: null, external_reference: null },
    ],
  })
  expect(await dist.payout(ids[0]!)).toMatchObject({ external_reference: "SEPA 1" })
  expect(await dist.payout(elsewhere!)).toMatchObject({ status: "pending" })
  expect(await entries(ids)).toHaveLength(3)
})

test("what Vouch has paid is never marked, and what it withholds can be", async () => {
  const freeze = { user_pubkey: holders[0], mint_config: fund, ...grounds }
  expect((await tokens.post("/token/freeze", freeze)).status).toBe(200)
  const id = await started({ settlement: "in_kind", per_unit: "1" })
  await dist.untilState(id, "completed")
  expect((await tokens.post("/token/unfreeze", freeze)).status).toBe(200)
  const ids = await payoutIds(id)
  expect(await count(id)).toMatchObject({ count: 1, amount: "1" })
  expect((await mark(id, { payout_ids: ids })).data).toEqual({
    ...{ marked: 1, amount: "1" },
    not_marked: ids.slice(1).map((payout_id) => ({ payout_id, status: "paid", external_reference: null })),
  })
  expect(await dist.get(id)).toMatchObject({ paid: "5", external_paid: "1", withheld: "0" })
})

test("of simultaneous requests for the same payouts, one marks them", async () => {
  const id = await started()
  const ids = await payoutIds(id)
  const answers = await Promise.all(["A", "B", "C"].map((reference) => mark(id, { payout_ids: ids }, reference)))
  expect(answers.map(({ data }) => data.marked).sort()).toEqual([0, 0, 3])
  expect(await entries(ids)).toHaveLength(3)
  const references = new Set((await dist.payouts(id)).map(({ external_reference }) => external_reference))
  expect(references.size).toBe(1)
})

test("all that match a filter are marked, and none if others match than were counted", async () => {
  const id = await started()
  const ids = await payoutIds(id)
  const seen = await count(id, { status: "pending" })
  expect(seen).toMatchObject({ count: 3, is_too_many: false, amount: "600" })
  expect(await count(id, { status: "external_paid" })).toMatchObject({ count: 0 })
  await dist.markPaid(ids[1]!)
  const matching = { filter: { status: "pending" }, seen: seen.seen }
  expect((await mark(id, { matching })).error.error).toBe("selection_changed")
  expect(await dist.get(id)).toMatchObject({ external_paid: "200" })

  // A filter by wallet selects only its payout.
  const filter = { q: holders[0] }
  const one = await count(id, filter)
  expect(one).toMatchObject({ count: 1, amount: "100" })
  expect((await mark(id, { matching: { filter, seen: one.seen } })).data).toMatchObject({ marked: 1, amount: "100" })
  expect((await mark(id, { matching: { filter, seen: one.seen } })).error.error).toBe("selection_changed")
  const rest = await count(id)
  expect((await mark(id, { matching: { filter: {}, seen: rest.seen } })).data).toMatchObject({ marked: 1 })
  expect(await dist.get(id)).toMatchObject({ state: "completed", external_paid: "600" })
})

test("nothing is marked before the start, without saying which, or from another account", async () => {
  const id = await draft()
  const ids = await payoutIds(id)
  expect((await mark(id, { payout_ids: ids })).error.error).toBe("payout_not_open")
  await dist.act(id, "start")
  const { seen } = await count(id)
  const both = { payout_ids: ids, matching: { filter: {}, seen } }
  for (const which of [{}, both, { matching: { filter: { statsu: "pending" }, seen } }])
    expect((await mark(id, which)).error.error).toBe("validation_failed")
  const stranger = (await member(app)).browser
  const asked = { id, payout_ids: ids, external_reference: "1" }
  expect((await stranger.mutate("distribution.markManyPaid", asked)).error.error).toBe("distribution_not_found")
  expect((await stranger.query("distribution.markable", { id })).error.error).toBe("distribution_not_found")
  expect(await dist.get(id)).toMatchObject({ external_paid: "0", pending: "600" })
})

test("the preview of the form is what the draft pays, and writes nothing", async () => {
  const preview = (about: object) =>
    browser.query("distribution.preview", { snapshot_id: snapshot, settlement: "external", ...about })
  const before = await sql`select id from distributions where workspace_id = ${workspaceId}`
  const { data } = await preview({ total: "100", minimum: "20", exclude: [] })
  expect(data).toEqual({
    ...{ payouts: 2, allocated: "83.33", remainder: "16.67", per_unit: "16.666666", smallest: "33.33", largest: "50" },
    refused: { count: 0, first: [] },
  })
  expect(await sql`select id from distributions where workspace_id = ${workspaceId}`).toEqual(before)
  const { json } = await dist.draftOf(snapshot, { settlement: "external", total: "100", minimum: "20" })
  expect(json).toMatchObject({ payouts: 2, total: "100", remainder: "16.67" })
  expect((await preview({ per_unit: "1.5", exclude: [holders[2]] })).data).toEqual({
    ...{ payouts: 2, allocated: "4.5", remainder: "0", per_unit: "1.5", smallest: "1.5", largest: "3" },
    refused: { count: 0, first: [] },
  })
  expect((await preview({ total: "0.001" })).error.error).toBe("invalid_amount")
  expect((await preview({})).error.error).toBe("validation_failed")
  const { browser: stranger } = await member(app)
  const theirs = { snapshot_id: snapshot, settlement: "external", total: "1" }
  expect((await stranger.query("distribution.preview", theirs)).error.error).toBe("snapshot_not_found")
})

test("the preview names who cannot be paid now, the largest payouts first", async () => {
  const preview = async (about: object = {}) =>
    (await browser.query("distribution.preview", { snapshot_id: snapshot, settlement: "external", ...about })).data
  const about = { mint_config: fund, reason_code: "court_order", reference: "1" }
  for (const user_pubkey of holders.slice(0, 2))
    expect((await tokens.post("/token/freeze", { ...about, user_pubkey })).status).toBe(200)
  const refused = (wallet: Address, amount: string) => ({
    ...{ user_pubkey: wallet, amount },
    detail: expect.stringContaining("frozen"),
  })
  expect((await preview({ total: "600" })).refused).toEqual({
    count: 2,
    first: [refused(holders[1]!, "200"), refused(holders[0]!, "100")],
  })
  expect((await preview({ total: "600", exclude: [holders[1]] })).refused).toMatchObject({ count: 1 })
  for (const user_pubkey of holders.slice(0, 2))
    await tokens.post("/token/unfreeze", { ...about, reason_code: "other", user_pubkey })
  expect((await preview({ total: "600" })).refused).toEqual({ count: 0, first: [] })
})

test("the paid payouts are counted, for members of the workspace only", async () => {
  const id = await started()
  const [first] = await payoutIds(id)
  await mark(id, { payout_ids: [first] })
  expect((await browser.query("distribution.countPaid", { id })).data).toEqual({ paid: 1 })
  const { browser: stranger } = await member(app)
  expect((await stranger.query("distribution.countPaid", { id })).error.error).toBe("distribution_not_found")
})
