import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { newId } from "#server/lib/ids.ts"
import { addDays, addSeconds } from "#server/lib/time.ts"
import { realNow } from "#test/fixtures/clock.ts"
import { type Browser, member } from "#test/fixtures/people.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

// Lists of the dashboard in each order contain every row once, also while rows are added.

// Without a worker, so that no sweep runs.
usesApp({ environment: { VOUCH_ROLE: "web" } })

type Made = { name: string; investor?: string; status?: string; schema?: string; expiresAt?: Date | string }

/** Inserts attestations into the database in this order. */
async function make(workspaceId: string, all: Made[]): Promise<void> {
  for (const { name, investor = name, status = "pending", schema = "kyc_individual_v1", expiresAt } of all) {
    await sql`
      insert into investors (workspace_id, id, external_id, created_at)
      values (${workspaceId}, ${`inv_${investor}`}, ${investor}, now()) on conflict do nothing`
    const isVerified = status === "verified"
    await sql`
      insert into attestations
        (workspace_id, id, schema_id, wallet, investor_id, external_id, status, period, created_at, session_id, provider,
          issued_at, verified_at, expires_at, onchain_tx, commitment, salt)
      values (${workspaceId}, ${newId("att")}, ${schema}, ${`wallet-${name}`}, ${`inv_${investor}`}, ${investor},
        ${status}, '2026-01-01', now(), ${workspaceId + name}, 'sandbox', ${isVerified ? sql`now()` : null},
        ${isVerified ? sql`now()` : null}, ${expiresAt ?? null}::text::timestamptz, ${isVerified ? name : null}, 'c', 's')`
  }
}

const numbered = (count: number, of: (n: number) => Omit<Made, "name"> = () => ({}), name = "n"): Made[] =>
  Array.from({ length: count }, (_, n) => ({ name: `${name}${n + 100}`, ...of(n) }))

/** All pages of a list. `between` runs before each page except the first. */
async function walk(by: Browser, list: string, input: object, between: () => Promise<void> = async () => {}) {
  const pages: string[][] = []
  let cursor: string | null = null
  do {
    if (cursor !== null) await between()
    const { data, error } = await by.query(list, { ...input, ...(cursor !== null && { cursor }) })
    expect(error).toBeUndefined()
    pages.push(data.data.map((one: { external_id: string }) => one.external_id))
    cursor = data.next_cursor
  } while (cursor !== null)
  return pages
}

test("attestations by expiry are verified ones, the first to expire first, even with many at one instant", async () => {
  const { browser, workspaceId } = await member(app)
  const soon = addDays(realNow(), 10)
  // The same instant, apart from microseconds, which JavaScript's Date cannot hold.
  const sameMoment = numbered(70, (n) => ({
    status: "verified",
    expiresAt: soon.toISOString().replace("Z", `${String(n % 10).padStart(3, "0")}Z`),
  }))
  const expected = [...sameMoment].sort((a, b) =>
    a.expiresAt! < b.expiresAt! ? -1 : a.expiresAt! > b.expiresAt! ? 1 : 0,
  )
  await make(workspaceId, [
    { name: "last", status: "verified", expiresAt: addDays(realNow(), 300) },
    { name: "over", status: "verified", expiresAt: addDays(realNow(), -1) },
    { name: "gone", status: "expired", expiresAt: addDays(realNow(), 5) },
    { name: "pending" },
    ...sameMoment,
    { name: "first", status: "verified", expiresAt: addSeconds(soon, -1), schema: "kyc_business_v1" },
  ])
  const names = ["first", ...expected.map(({ name }) => name), "last"]
  const pages = await walk(browser, "attestation.search", { order: "expiry" })
  expect(pages.map((page) => page.length)).toEqual([50, 22])
  expect(pages.flat()).toEqual(names)
  expect((await walk(browser, "attestation.search", { order: "expiry", status: "verified" })).flat()).toEqual(names)
  expect(await walk(browser, "attestation.search", { order: "expiry", status: "pending" })).toEqual([[]])
  expect(await walk(browser, "attestation.search", { order: "expiry", schema: "kyc_business_v1" })).toEqual([["first"]])
  const response = await browser.fetch(`/api/export/attestations.csv?workspace=${workspaceId}&order=expiry`)
  const lines = (await response.text()).trim().split("\r\n").slice(1)
  expect(lines.map((line) => line.split(",")[4])).toEqual(names)
})

test("new attestations do not move others in the order by expiry", async () => {
  const { browser, workspaceId } = await member(app)
  const at = (days: number) => ({ status: "verified", expiresAt: addDays(realNow(), days) })
  await make(
    workspaceId,
    numbered(120, (n) => at(100 + n)),
  )
  let come = 0
  const pages = await walk(browser, "attestation.search", { order: "expiry" }, async () => {
    come += 1
    await make(workspaceId, [
      { name: `early${come}`, ...at(1) },
      { name: `late${come}`, ...at(900 + come) },
    ])
  })
  expect(pages.flat()).toEqual([...numbered(120).map(({ name }) => name), "late1", "late2"])
})

test("sessions can be listed oldest first, also by outcome and while others start", async () => {
  const { browser, workspaceId } = await member(app)
  const open = numbered(60)
  await make(workspaceId, open)
  await make(
    workspaceId,
    numbered(55, (n) => ({ status: n % 2 ? "rejected" : "expired" }), "c"),
  )
  const names = open.map(({ name }) => name)
  expect((await walk(browser, "session.list", { order: "oldest" })).flat()).toEqual(names)
  let come = 0
  const whileOthersCome = await walk(browser, "session.list", { order: "oldest" }, () =>
    make(workspaceId, [{ name: `new${++come}` }]),
  )
  expect(whileOthersCome.flat()).toEqual([...names, "new1"])
  expect((await walk(browser, "session.list", {})).flat()).toEqual(["new1", ...names.toReversed()])
  const closed = { state: "closed", order: "oldest" }
  expect((await walk(browser, "session.list", closed)).flat()).toHaveLength(55)
  const rejected = numbered(55, undefined, "c").flatMap(({ name }, n) => (n % 2 ? [name] : []))
  expect((await walk(browser, "session.list", { ...closed, status: "rejected" })).flat()).toEqual(rejected)
  expect((await walk(browser, "session.list", { ...closed, status: "expired" })).flat()).toHaveLength(28)
  expect((await walk(browser, "session.list", { ...closed, status: "pending" })).flat()).toEqual([])
})

test("each order lists every investor once, even if some start again between pages", async () => {
  const { browser, workspaceId } = await member(app)
  // Each has two, and is listed by the first in the order.
  const today = realNow()
  const ends = (n: number) => addDays(today, 100 + ((n * 7) % 120))
  await make(workspaceId, [
    ...numbered(120, (n) => ({ investor: `i${n}`, status: "verified", expiresAt: addDays(ends(n), 500) }), "a"),
    ...numbered(
      120,
      (n) => ({ investor: `i${n}`, status: "verified", expiresAt: ends(n), schema: "kyc_business_v1" }),
      "b",
    ),
  ])
  const all = Array.from({ length: 120 }, (_, n) => `i${n}`)
  const byExpiry = all.toSorted((a, b) => ends(Number(a.slice(1))).getTime() - ends(Number(b.slice(1))).getTime())
  const expected = { newest: all.toReversed(), oldest: all, expiry: byExpiry }
  let come = 0
  for (const [order, names] of Object.entries(expected)) {
    const pages = await walk(browser, "investor.search", { order }, async () => {
      come += 1
      const again = (investor: string) => ({
        ...{
          name: `${order}${investor}x${come}`,
          investor,
          status: "verified",
          schema: "accredited_investor_v1",
        },
        expiresAt: addDays(realNow(), come),
      })
      // An investor of an earlier page, one of a later page, and a new one.
      await make(workspaceId, [again(names[0]!), again(names[110]!), again(`new${order}${come}`)])
    })
    expect(pages.flat(), order).toEqual(names)
    await sql`delete from attestations where workspace_id = ${workspaceId} and schema_id = 'accredited_investor_v1'`
  }
  const { data } = await browser.query("investor.search", { order: "expiry" })
  expect(data.data[0].expires_at).toBe(
    ends(Number(byExpiry[0]!.slice(1)))
      .toISOString()
      .replace(/\.\d+Z/, "Z"),
  )
  for (const cursor of [data.next_cursor.split("~")[0], `${data.next_cursor}~${data.next_cursor}`, "~", "x~y"]) {
    const { error } = await browser.query("investor.search", { cursor })
    expect(error?.error, cursor).toBe("validation_failed")
  }
})
