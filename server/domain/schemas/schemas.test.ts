import { beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { addDays, toTimestamp } from "#server/lib/time.ts"
import { ledgerAtRest } from "#test/fixtures/ledger-at-rest.ts"
import { member } from "#test/fixtures/people.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

let owner: Awaited<ReturnType<typeof member>>

usesApp()
beforeAll(async () => {
  owner = await member(app)
})

const create = (input: object = {}, by = owner) =>
  by.browser.mutate("schema.create", { id: "residency_v1", name: "Residency", validity_days: 30, ...input })
const change = (input: object, by = owner) => by.browser.mutate("schema.change", input)
const summary = async (by = owner) => (await by.browser.query("schema.summary")).data.data
const trailOf = (subject: string) => sql`
  select action, actor_name, detail from audit_entries where subject = ${subject} order by seq`

test("a new schema can be used, and an attestation keeps the validity of its time", async () => {
  expect((await create()).status).toBe(200)
  const key = await app.key({ account: owner.account })
  const verified = async () => {
    const { wallet, sessionId } = await app.startSession(key, undefined, "residency_v1")
    await app.webhook({ session_id: sessionId, decision: "approved" })
    const { attestation_id } = await app.waitForStatus(key, wallet, "verified")
    await ledgerAtRest()
    const path = `/attestation/${attestation_id}`
    return (await app.request({ method: "GET", path, key: key.apiKey })).json
  }
  const first = await verified()
  expect(first.expires_at).toBe(toTimestamp(addDays(new Date(first.issued_at), 30)))
  expect((await change({ id: "residency_v1", validity_days: 7 })).data).toEqual({
    id: "residency_v1",
    name: "Residency",
    validity_days: 7,
    wallet_proof: false,
    wallet_proof_setting: null,
    reminder_days: [30, 7, 1],
    created_at: expect.any(String),
  })
  const second = await verified()
  expect(second.expires_at).toBe(toTimestamp(addDays(new Date(second.issued_at), 7)))
  const again = await app.request({
    method: "GET",
    path: `/attestation/${first.attestation_id}`,
    key: key.apiKey,
  })
  expect(again.json).toEqual(first)
  expect((await summary()).find(({ id }: { id: string }) => id === "residency_v1")).toMatchObject({
    validity_days: 7,
    verified: { count: 2, more: false },
  })
  expect(await trailOf("residency_v1")).toEqual([
    {
      action: "schema.created",
      actor_name: "The owner",
      detail: { name: "Residency", validity_days: 30, wallet_proof: null, reminder_days: [30, 7, 1] },
    },
    {
      action: "schema.changed",
      actor_name: "The owner",
      detail: {
        before: { name: "Residency", validity_days: 30, wallet_proof: null, reminder_days: [30, 7, 1] },
        after: { name: "Residency", validity_days: 7, wallet_proof: null, reminder_days: [30, 7, 1] },
      },
    },
  ])
})

test("an id is unique in its workspace, and a change without effect is not in the audit log", async () => {
  const id = "company_v1"
  const outcomes = await Promise.all(Array.from({ length: 5 }, () => create({ id })))
  expect(outcomes.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409])
  expect(outcomes.find(({ status }) => status === 409)!.error.error).toBe("schema_exists")
  expect((await create({ id: "kyc_individual_v1" })).status).toBe(409)
  expect((await create({ id }, await member(app))).status).toBe(200)
  expect((await change({ id, name: "Residency", validity_days: 30 })).status).toBe(200)
  expect((await change({ id })).status).toBe(200)
  expect(
    await sql`select from audit_entries where subject = ${id} and workspace_id = ${owner.workspaceId}`,
  ).toHaveLength(1)
})

test.each([
  { id: "ab" },
  { id: "1st_schema" },
  { id: "Has-Dashes" },
  { id: "x".repeat(65) },
  { name: "" },
  { name: "two\nlines" },
  { validity_days: 0 },
  { validity_days: 3651 },
  { validity_days: 1.5 },
])("%j is refused and creates nothing", async (input) => {
  const before = await summary()
  expect((await create({ id: "other_v1", ...input })).error.error).toBe("validation_failed")
  expect(await summary()).toEqual(before)
})

test("another workspace's schema cannot be changed, and looks as if it does not exist", async () => {
  await create({ id: "mine_v1" })
  const stranger = await member(app)
  const answers = []
  for (const id of ["mine_v1", "never_v1"]) answers.push(await change({ id, validity_days: 1 }, stranger))
  const [known, unknown] = answers.map(({ status, error }) => [status, error.error, error.detail])
  expect(known).toEqual([404, "schema_not_found", expect.any(String)])
  expect(unknown).toEqual(known)
  expect((await summary()).find(({ id }: { id: string }) => id === "mine_v1").validity_days).toBe(30)
})

test("a viewer can read the schemas but not change them", async () => {
  const viewer = await member(app, { account: owner.account, role: "viewer" })
  const before = await summary()
  expect(await summary(viewer)).toEqual(before)
  for (const answer of [
    await create({ id: "viewers_v1" }, viewer),
    await change({ id: "kyc_individual_v1", validity_days: 1 }, viewer),
  ]) {
    expect(answer).toMatchObject({ status: 403, error: { error: "insufficient_scope" } })
  }
  expect(await summary()).toEqual(before)
})

test("verified attestations are counted up to a thousand, and beyond that shown as more", async () => {
  const { workspaceId, browser } = await member(app)
  const fill = (schema: string, count: number, expires: Date) => sql`
    insert into attestations (workspace_id, id, schema_id, wallet, status, period, created_at, session_id, provider,
      issued_at, expires_at, onchain_tx)
    select ${workspaceId}, ${schema} || n, ${schema}, 'wallet ' || n, 'verified', '2027-01-01', now(), ${schema} || n,
      'sandbox', now(), ${expires}::timestamptz, 'tx'
    from generate_series(1, ${count}::int) n`
  await fill("kyc_individual_v1", 1001, addDays(new Date(), 1))
  await fill("kyc_business_v1", 1000, addDays(new Date(), 1))
  const { data } = (await browser.query("schema.summary")).data
  const counts = Object.fromEntries(data.map(({ id, verified }: { id: string; verified: object }) => [id, verified]))
  expect(counts).toEqual({
    kyc_individual_v1: { count: 1000, more: true },
    kyc_business_v1: { count: 1000, more: false },
    accredited_investor_v1: { count: 0, more: false },
  })
})
