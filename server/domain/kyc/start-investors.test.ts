import { afterEach, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { newId } from "#server/lib/ids.ts"
import { newWallet } from "#test/fixtures/app.ts"
import { member } from "#test/fixtures/people.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"

// Which investor a session belongs to, also for many simultaneous starts.

usesCustomer({ environment: { VOUCH_ROLE: "web" }, key: { plan: "growth", mode: "live" } })
afterEach(expectConsistent)

const INDIVIDUAL = "kyc_individual_v1"
const BUSINESS = "kyc_business_v1"

async function start(wallet: string, externalId?: string, schemaId = INDIVIDUAL, by = key) {
  const { status, json } = await app.request({
    method: "POST",
    path: "/kyc/start",
    key: by.apiKey,
    json: { userPubkey: wallet, schemaId, ...(externalId && { externalId }) },
  })
  expect(status, JSON.stringify(json)).toBe(200)
  return json.session_id as string
}
const end = (session_id: string) => app.webhook({ session_id, decision: "rejected" })
/** Ends a session that its investor has not begun. */
const cancel = (id: string) =>
  app.request({ method: "POST", path: `/kyc/session/${id}/cancel`, key: key.apiKey, json: {} })

type Session = { investor_id: string; external_id: string | null; wallet: string }
const sessionsOf = async (wallet: string): Promise<Session[]> => [
  ...(await sql<Session[]>`
    select investor_id, external_id, wallet from attestations
    where workspace_id = ${key.workspaceId} and wallet = ${wallet} order by seq`),
]
const investorsOf = async (...wallets: string[]): Promise<string[]> => {
  const rows = await sql<{ investor_id: string }[]>`
    select distinct investor_id from attestations
    where workspace_id = ${key.workspaceId} and wallet = any(${wallets})`
  return rows.map((row) => row.investor_id)
}
const only = async (...wallets: string[]): Promise<string> => {
  const all = await investorsOf(...wallets)
  expect(all).toHaveLength(1)
  return all[0]!
}
const investor = async (id: string) => {
  const [row] = await sql`
    select external_id, wallet, merged_into from investors where workspace_id = ${key.workspaceId} and id = ${id}`
  return row
}
const used = async () => (await app.request({ method: "GET", path: "/usage", key: key.apiKey })).json.used as number
const count = async () => {
  const [row] = await sql<{ n: number }[]>`
    select count(*)::int as n from investors where workspace_id = ${key.workspaceId} and merged_into is null`
  return row!.n
}
const name = () => `investor-${newId("evt")}`
const times = <T>(n: number, make: (n: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i))

/** No person is split in two, and nothing belongs to a merged investor or to none. */
async function expectConsistent() {
  const ofMerged = await sql`
    select a.id from attestations a join investors i on i.workspace_id = a.workspace_id and i.id = a.investor_id
    where i.merged_into is not null`
  expect([...ofMerged], "attestations of a merged investor").toEqual([])
  const chains = await sql`
    select i.id from investors i join investors n on n.workspace_id = i.workspace_id and n.id = i.merged_into
    where n.merged_into is not null`
  expect([...chains], "merged into a merged investor").toEqual([])
  const strangers = await sql`
    select i.id from investors i where i.merged_into is null and not exists (
      select from attestations a where a.workspace_id = i.workspace_id and a.investor_id = i.id)`
  expect([...strangers], "investors without a session").toEqual([])
  const split = await sql`
    select a.workspace_id, a.wallet from attestations a
    join investors i on i.workspace_id = a.workspace_id and i.id = a.investor_id
    where i.external_id is null and i.erased_at is null group by 1, 2 having count(distinct i.id) > 1`
  expect([...split], "wallets of two investors without an id").toEqual([])
}

test("one externalId from many wallets at once is one investor", async () => {
  const [id, wallets] = [name(), times(20, newWallet)]
  const before = await count()
  await Promise.all(wallets.map((wallet) => start(wallet, id)))
  expect(await investor(await only(...wallets))).toEqual({ external_id: id, wallet: null, merged_into: null })
  expect(await count()).toBe(before + 1)
})

test("a wallet without an externalId is its own investor, and stays the same one across sessions and schemas", async () => {
  const [wallet, other] = [newWallet(), newWallet()]
  await end(await start(wallet))
  await start(wallet)
  await start(wallet, undefined, BUSINESS)
  await start(other)
  expect(await investor(await only(wallet))).toEqual({ external_id: null, wallet, merged_into: null })
  expect(await only(other)).not.toBe(await only(wallet))
})

test("a wallet whose person has not begun keeps its investor when it gets its first externalId", async () => {
  const [ended, open] = [newWallet(), newWallet()]
  await cancel(await start(ended))
  await start(open)
  for (const wallet of [ended, open]) {
    const [id, known] = [name(), await only(wallet)]
    await start(wallet, id)
    expect(await only(wallet)).toBe(known)
    expect(await investor(known)).toEqual({ external_id: id, wallet: null, merged_into: null })
  }
})

test.each(["its open session", "a new session"])(
  "a wallet whose externalId on %s names a known investor joins them, with its history and notes",
  async (which) => {
    const [id, wallet, theirs] = [name(), newWallet(), newWallet()]
    await start(theirs, id)
    await cancel(await start(wallet))
    if (which === "its open session") await start(wallet)
    await start(wallet, undefined, BUSINESS)
    const [before, known] = [await only(wallet), await only(theirs)]
    expect(before).not.toBe(known)
    await sql`
      insert into investor_notes (workspace_id, id, investor_id, body, author_id, author_name, created_at)
      values (${key.workspaceId}, ${newId("note")}, ${before}, '', 'x', 'x', now())`
    await start(wallet, id)
    expect(await only(wallet, theirs)).toBe(known)
    expect(await investor(before)).toEqual({ external_id: null, wallet: null, merged_into: known })
    const notes = await sql`select id from investor_notes where investor_id = ${known}`
    expect(notes).toHaveLength(1)
    // From now on a start without an id belongs to them.
    await start(wallet, undefined, "accredited_investor_v1")
    expect(await only(wallet)).toBe(known)
  },
)

test("a session without an externalId belongs to the first person named for the wallet, whatever later starts say", async () => {
  const [first, second, wallet] = [name(), name(), newWallet()]
  await end(await start(wallet, first))
  await end(await start(wallet, second))
  await start(wallet)
  const sessions = await sessionsOf(wallet)
  expect(sessions[0]!.investor_id).not.toBe(sessions[1]!.investor_id)
  expect(sessions[2]!.investor_id).toBe(sessions[0]!.investor_id)
  expect(await investor(sessions[0]!.investor_id)).toMatchObject({ external_id: first, merged_into: null })
})

test("another externalId begins a session for that person, and both keep their ids", async () => {
  const [first, second, wallet] = [name(), name(), newWallet()]
  const session = await start(wallet, first)
  const another = await start(wallet, second)
  expect(another).not.toBe(session)
  expect(await start(wallet, first)).toBe(session)
  expect(await start(wallet, second)).toBe(another)
  for (const { investor_id, external_id } of await sessionsOf(wallet))
    expect(await investor(investor_id)).toEqual({ external_id, wallet: null, merged_into: null })
})

test("a merged investor follows the one it was merged into when that one is merged again", async () => {
  const [wrong, right, first, second, third] = [name(), name(), newWallet(), newWallet(), newWallet()]
  await start(first)
  const start1 = await only(first)
  await start(second, wrong)
  const start2 = await only(second)
  await start(first, wrong)
  // As after an erasure: a person with two wallets and no external id.
  await sql`update investors set external_id = null where id = ${start2}`
  await start(third, right)
  await end(await start(second, right))
  const known = await only(first, second, third)
  expect(await investor(start1)).toMatchObject({ merged_into: known })
  expect(await investor(start2)).toMatchObject({ merged_into: known })
})

test("a wallet whose person was erased begins with a new investor", async () => {
  const [wallet, id] = [newWallet(), name()]
  await end(await start(wallet))
  const erased = await only(wallet)
  await sql`update investors set wallet = null, erased_at = now() where id = ${erased}`
  await sql`update attestations set erased_at = now() where investor_id = ${erased}`
  await start(wallet)
  await start(wallet, id, BUSINESS)
  const [first, ...later] = await sessionsOf(wallet)
  expect(first!.investor_id).toBe(erased)
  expect(new Set(later.map((one) => one.investor_id))).toEqual(new Set([later[0]!.investor_id]))
  expect(later[0]!.investor_id).not.toBe(erased)
})

test.each([
  ["neither has an externalId", undefined, undefined],
  ["one has an externalId", "x", undefined],
  ["both have the same externalId", "x", "x"],
])("simultaneous starts of two schemas for a new wallet are one investor if %s", async (_what, first, second) => {
  for (let round = 0; round < 15; round++) {
    const [wallet, suffix] = [newWallet(), name()]
    const idOf = (one: string | undefined) => one && `${one}-${suffix}`
    await Promise.all([start(wallet, idOf(first)), start(wallet, idOf(second), BUSINESS)])
    await only(wallet)
  }
})

test("two simultaneous externalIds for a wallet without one: each session belongs to its investor and uses one unit", async () => {
  for (let round = 0; round < 15; round++) {
    const wallet = newWallet()
    await end(await start(wallet))
    const before = await used()
    const ids = [name(), name()]
    await Promise.all([start(wallet, ids[0]), start(wallet, ids[1], BUSINESS)])
    expect(await used()).toBe(before + 2)
    for (const { investor_id, external_id } of (await sessionsOf(wallet)).slice(1)) {
      expect(await investor(investor_id)).toMatchObject({ external_id })
    }
  }
})

test("everything that begins for a wallet while it joins an investor belongs to that investor", async () => {
  for (let round = 0; round < 15; round++) {
    const [id, wallet, theirs] = [name(), newWallet(), newWallet()]
    await start(theirs, id)
    await start(wallet)
    await Promise.all([
      start(wallet, undefined, BUSINESS),
      start(wallet, id),
      start(wallet, undefined, "accredited_investor_v1"),
      start(newWallet(), id),
    ])
    expect(await only(wallet)).toBe(await only(theirs))
  }
})

test("50 simultaneous externalIds for one wallet are 50 people, each with a session", async () => {
  const wallet = newWallet()
  const before = await count()
  await Promise.all(times(50, (n) => start(wallet, `${name()}-${n}`)))
  const sessions = await sessionsOf(wallet)
  expect(sessions).toHaveLength(50)
  for (const { investor_id, external_id } of sessions)
    expect(await investor(investor_id)).toMatchObject({ external_id })
  expect(await count()).toBe(before + 50)
})

test("the same externalId in another workspace is another investor, and neither changes the other", async () => {
  const [id, wallet] = [name(), newWallet()]
  const account = await app.key()
  await start(wallet, id)
  const mine = await only(wallet)
  await start(wallet, id, INDIVIDUAL, account)
  const [theirs] = await sql<{ investor_id: string }[]>`
    select investor_id from attestations where workspace_id = ${account.workspaceId} and wallet = ${wallet}`
  expect(theirs!.investor_id).not.toBe(mine)
  expect(await only(wallet)).toBe(mine)
})

test("a refused start creates no investor", async () => {
  const full = await app.key({ plan: "enterprise", quota: 1, mode: "live" })
  await start(newWallet(), name(), INDIVIDUAL, full)
  for (const externalId of [undefined, name()]) {
    for (const schemaId of [INDIVIDUAL, "mistyped_v1"]) {
      const json = { userPubkey: newWallet(), schemaId, ...(externalId && { externalId }) }
      const { status } = await app.request({ method: "POST", path: "/kyc/start", key: full.apiKey, json })
      expect(status).toBe(schemaId === INDIVIDUAL ? 429 : 422)
    }
  }
  const rows = await sql`select id from investors where workspace_id = ${full.workspaceId}`
  expect(rows).toHaveLength(1)
})

test("a member's starts belong to the same investors", async () => {
  const { browser, account } = await member(app)
  const own = await app.key({ account })
  const [id, wallet, second] = [name(), newWallet(), newWallet()]
  await start(wallet, id, INDIVIDUAL, own)
  const begun = await browser.mutate("kyc.start", {
    userPubkey: second,
    schemaId: INDIVIDUAL,
    externalId: id,
  })
  expect(begun.status).toBe(200)
  const rows = await sql`select distinct investor_id from attestations where workspace_id = ${own.workspaceId}`
  expect(rows).toHaveLength(1)
})

test("a row that names no investor gets the wallet's", async () => {
  const [id, wallet, other] = [name(), newWallet(), newWallet()]
  const insert = (one: string, externalId: string | null, schemaId = INDIVIDUAL) => sql`
    insert into attestations
      (workspace_id, id, schema_id, wallet, external_id, status, period, created_at, session_id, provider)
    values (${key.workspaceId}, ${newId("att")}, ${schemaId}, ${one}, ${externalId}, 'pending', '2026-01-01', now(),
      ${newId("sess")}, 'sandbox')`
  await insert(other, id)
  await insert(wallet, null)
  await insert(wallet, null, BUSINESS)
  const investor = await only(wallet)
  expect(investor).toMatch(/^inv_[1-9A-HJ-NP-Za-km-z]{16,22}$/)
  expect(investor).not.toBe(await only(other))
  const second = newWallet()
  await insert(second, id)
  expect(await only(second)).toBe(await only(other))
})
