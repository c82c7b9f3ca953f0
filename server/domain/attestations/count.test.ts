import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { addDays } from "#server/lib/time.ts"
import { shownStatuses } from "#shared/statuses.ts"
import { newWallet, type TestKey } from "#test/fixtures/app.ts"
import { realNow } from "#test/fixtures/clock.ts"
import { type Browser, member } from "#test/fixtures/people.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"
import { countAll } from "./count.ts"

usesApp({ environment: { VOUCH_ROLE: "web" } })

async function enter() {
  const { browser, account, workspaceId } = await member(app)
  return { browser, workspaceId, key: await app.key({ account }) }
}

async function start(key: TestKey, externalId: string, schemaId = "kyc_individual_v1") {
  const json = { userPubkey: newWallet(), schemaId, externalId }
  const response = await app.request({ method: "POST", path: "/kyc/start", key: key.apiKey, json })
  const id = response.json.session_id as string
  return { wallet: json.userPubkey, id }
}

/** Inserts attestations of the past directly into the database. */
const fill = (
  workspaceId: string,
  count: number,
  { name = "old", status = "rejected", schema = "kyc_individual_v1" } = {},
) =>
  sql`
  insert into investors (workspace_id, id, wallet, created_at)
  values (${workspaceId}, ${`inv_${name}`}, ${name}, now()) on conflict do nothing`.then(
    () => sql`
    insert into attestations
      (workspace_id, id, schema_id, wallet, investor_id, external_id, status, period, created_at, session_id, provider,
        revoked_at)
    select ${workspaceId}, ${`att_${name}`} || n, ${schema}, ${name} || n, ${`inv_${name}`}, ${`${name}-`} || n,
      ${status === "revoked" ? "rejected" : status}, '2026-01-01', now() - interval '1 day', ${workspaceId + name} || n,
      'sandbox', case when ${status === "revoked"} then now() end
    from generate_series(1, ${count}::int) n`,
  )

/** Counts as text, such as `12` or `1000+`. Statuses without any are left out. */
async function counts(by: Browser, input: object = {}, list = "attestation"): Promise<Record<string, string>> {
  const { data, error } = await by.query(`${list}.count`, input)
  expect(error).toBeUndefined()
  const counts = [...shownStatuses, ...(list === "investor" ? ["all"] : [])].map((status) => {
    const { count, atLeast } = data[status]
    return [status, `${count}${atLeast ? "+" : ""}`] as const
  })
  return Object.fromEntries(counts.filter(([, words]) => words !== "0"))
}

test("the count of each status equals the length of its list, under every filter", async () => {
  const { browser, key, workspaceId } = await enter()
  await start(key, "a-1")
  const business = await start(key, "a-2", "kyc_business_v1")
  const rejected = await start(key, "b-1")
  await app.webhook({ session_id: rejected.id, decision: "rejected" })
  const verified = await start(key, "b-2")
  await sql`
    update attestations set status = 'verified', issued_at = created_at, verified_at = created_at, open_until = null,
      expires_at = ${addDays(realNow(), 20)}, onchain_tx = 'x', commitment = 'c', salt = 's' where session_id = ${verified.id}`
  await fill(workspaceId, 3, { status: "revoked" })
  await fill(workspaceId, 2, { name: "gone", status: "expired" })
  expect(await counts(browser)).toEqual({
    pending: "2",
    verified: "1",
    rejected: "1",
    revoked: "3",
    expired: "2",
  })
  expect(await counts(browser, { schema: "kyc_business_v1" })).toEqual({ pending: "1" })
  expect(await counts(browser, { schema: "kyc_individual_v1" })).toMatchObject({
    rejected: "1",
    revoked: "3",
  })
  expect(await counts(browser, { q: "b-" })).toEqual({ verified: "1", rejected: "1" })
  expect(await counts(browser, { q: business.wallet })).toEqual({ pending: "1" })
  expect(await counts(browser, { q: "unknown" })).toEqual({})
  const soon = (days: number) => ({ expiring_before: addDays(realNow(), days).toISOString() })
  expect(await counts(browser, soon(30))).toEqual({ verified: "1" })
  expect(await counts(browser, soon(7))).toEqual({})
  expect(await counts(browser, { from: addDays(realNow(), -0.5).toISOString() })).toEqual({
    ...{ pending: "2", verified: "1", rejected: "1" },
  })
  expect(await counts(browser, { to: addDays(realNow(), -0.5).toISOString() })).toEqual({
    ...{ revoked: "3", expired: "2" },
  })
  expect(await counts(browser, { from: addDays(realNow(), 1).toISOString() })).toEqual({})
  expect(await counts(browser, { investor: "inv_old" })).toEqual({ revoked: "3" })
  expect(await counts((await enter()).browser)).toEqual({})
})

test("the total equals the sum of all statuses", async () => {
  const { browser, workspaceId } = await enter()
  await fill(workspaceId, 3, { status: "revoked" })
  await fill(workspaceId, 2, { name: "gone", status: "expired" })
  const all = async () => (await browser.query("attestation.count", {})).data.all
  expect(await all()).toEqual({ count: 5, atLeast: false })
  await fill(workspaceId, 1001, { name: "x" })
  expect(await all()).toEqual({ count: 1005, atLeast: true })
})

test("an investor counts once in each status that any of their verifications has", async () => {
  const { browser, key, workspaceId } = await enter()
  await start(key, "a-1")
  await start(key, "a-1")
  await start(key, "a-1", "kyc_business_v1")
  const rejected = await start(key, "a-2")
  await app.webhook({ session_id: rejected.id, decision: "rejected" })
  await start(key, "a-2")
  const of = (input: object = {}) => counts(browser, input, "investor")
  expect(await of()).toEqual({ pending: "2", rejected: "1", all: "2" })
  expect(await of({ schema: "kyc_business_v1" })).toEqual({ pending: "1", all: "1" })
  expect(await of({ q: "a-2" })).toEqual({ pending: "1", rejected: "1", all: "1" })
  expect(await of({ q: "unknown" })).toEqual({})
  expect(await of({ from: addDays(realNow(), 1).toISOString() })).toEqual({})
  // All of these belong to one investor, who hides only what comes before all of them.
  await fill(workspaceId, 10_000, { name: "mass" })
  expect(await of()).toEqual({ pending: "2", rejected: "1+", all: "1+" })
})

test("a file's number of rows is known beforehand if counting is cheap", async () => {
  const { browser, key, workspaceId } = await enter()
  await start(key, "a-1")
  await start(key, "a-2", "kyc_business_v1")
  const verified = await start(key, "b-2")
  await sql`
    update attestations set status = 'verified', issued_at = created_at, verified_at = created_at, open_until = null,
      expires_at = ${addDays(realNow(), 20)}, onchain_tx = 'x', commitment = 'c', salt = 's' where session_id = ${verified.id}`
  await fill(workspaceId, 1_200, { status: "revoked" })
  await fill(workspaceId, 300, { name: "gone", status: "expired" })
  for (const [query, rows] of [
    ["", 1_503],
    ["&status=revoked&order=oldest", 1_200],
    ["&status=expired", 300],
    ["&schema=kyc_business_v1", 1],
    ["&order=expiry", 1],
    ["&order=expiry&status=verified", 1],
    ["&order=expiry&status=pending", 0],
    ["&q=a-", 2],
    [`&expiring_before=${addDays(realNow(), 30).toISOString()}`, 1],
    [`&from=${addDays(realNow(), -0.5).toISOString()}`, 3],
    [`&from=${addDays(realNow(), 1).toISOString()}`, 0],
  ] as const) {
    const response = await browser.fetch(`/api/export/attestations.csv?workspace=${workspaceId}${query}`)
    expect(response.headers.get("vouch-rows"), query).toBe(String(rows))
    expect((await response.text()).trim().split("\r\n"), query).toHaveLength(rows + 1)
  }
  expect(await countAll(workspaceId, {}, { most: 1_502 })).toBeNull()
  expect(await countAll(workspaceId, {}, { most: 1_503 })).toBe(1_503)
  // Few match, but the database would read many more.
  expect(await countAll(workspaceId, { status: "rejected" }, { most: 1_000 })).toBe(0)
  expect(await countAll(workspaceId, { status: "revoked", schema: "kyc_individual_v1" }, { most: 1_199 })).toBeNull()
})

test("up to a thousand are counted; beyond that, the count says so", async () => {
  const { browser, workspaceId } = await enter()
  await fill(workspaceId, 1000, { name: "x" })
  await fill(workspaceId, 1001, { name: "y", status: "revoked" })
  expect(await counts(browser)).toEqual({ rejected: "1000", revoked: "1000+" })
  expect(await counts(browser, { schema: "kyc_individual_v1" })).toEqual({
    rejected: "1000",
    revoked: "1000+",
  })
})

test("no count reads more than ten thousand rows: rarer matches are counted among the newest", async () => {
  const { browser, workspaceId } = await enter()
  await fill(workspaceId, 5, { name: "early", status: "revoked" })
  await fill(workspaceId, 9_997, { name: "mass" })
  await fill(workspaceId, 2, { name: "late", status: "revoked" })
  // One index covers the revoked ones; none covers a schema.
  expect(await counts(browser)).toEqual({ rejected: "1000+", revoked: "7" })
  expect(await counts(browser, { schema: "kyc_individual_v1" })).toEqual({ rejected: "1000+", revoked: "3+" })
  expect(await counts(browser, { expiring_before: "2030-01-01T00:00:00Z" })).toEqual({})
})
