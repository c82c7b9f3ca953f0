import { beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { type NamedPeople, readNamed } from "#domain/investor-search"
import type { Address } from "#shared/address.ts"
import { newWallet, waitFor } from "#test/fixtures/app.ts"
import { verifiedFor } from "#test/fixtures/tokens.ts"
import { app, key, tokens, usesCustomer } from "#test/fixtures/uses-app.ts"
import type { Moment } from "./moments.ts"
import { byInvestor } from "./register-by-investor.ts"
import { inOrder } from "./register-order.ts"
import { type Asked, byWallet, type Row } from "./register-rows.ts"
import { verifiedAt } from "./verified-at.ts"

const SCHEMA = "kyc_individual_v1"
/** Enough for a text that names too many people to look them up first, and for one that names many. */
const [TOO_MANY, MANY] = [5100, 3100]

const before: Moment = { slot: null, time: new Date("2026-01-01T00:00:00Z") }
const later: Moment = { slot: null, time: new Date("2026-02-01T00:00:00Z") }
let moments: Record<string, Moment>
let config: string
let owners: Record<"two" | "merged" | "new", string>
let ownerless: Address[]

const idOf = async (externalId: string): Promise<string> => {
  const [row] = await sql<{ id: string }[]>`
    select id from investors where workspace_id = ${key.workspaceId} and external_id = ${externalId}`
  return row!.id
}

async function post(wallet: Address, ...deltas: [amount: number, at: Moment][]): Promise<void> {
  for (const [n, [delta, { time }]] of deltas.entries())
    await sql`
      insert into postings (workspace_id, mint_config, wallet, seq, delta, held_delta, balance, held, landed_at)
      values (${key.workspaceId}, ${config}, ${wallet}, ${n + 1}, ${delta}, ${n === 0 ? 1 : 0}, ${delta}, 1, ${time})`
}

const receive = (wallet: Address, delta: number, { time }: Moment) => sql`
  insert into holder_movements (workspace_id, mint_config, wallet, delta, landed_at)
  values (${key.workspaceId}, ${config}, ${wallet}, ${delta}, ${time})`

usesCustomer()
beforeAll(async () => {
  config = await tokens.config()
  const [two, also] = await tokens.walletsOf("walk-two", 2)
  const [moved] = await tokens.walletsOf("walk-old", 1)
  const [joined] = await tokens.walletsOf("walk-joined", 1)
  const [emptied] = await tokens.walletsOf("walk-emptied", 1)
  const [revoked] = await tokens.walletsOf("other-revoked", 1)
  const others = await tokens.wallets(3)
  // The wallet of one investor is verified for another.
  await verifiedFor(app, key, { externalId: "walk-new", wallet: moved })
  // One of two investors turns out to be the other.
  owners = { two: await idOf("walk-two"), merged: await idOf("walk-joined"), new: await idOf("walk-new") }
  await waitFor(async () => {
    const [owner] = await sql`select investor_id from wallet_owner(${key.workspaceId}, ${moved})`
    return owner!.investor_id === owners.new ? true : null
  }, "the new owner")
  await sql`select merge_investors(${key.workspaceId}, ${owners.merged}, ${owners.two}, null)`
  ownerless = [newWallet(), newWallet(), newWallet()].toSorted() as Address[]
  for (const wallet of [two, moved, joined, ...others]) await post(wallet, [10, before], [5, later])
  await post(also, [3, later])
  await post(emptied, [4, before], [-4, later])
  await post(revoked, [7, before])
  await receive(also, 2, before)
  for (const wallet of ownerless) await receive(wallet, 6, before)
  const { attestation_id } = (await tokens.get(`/kyc/status/${revoked}?schema=${SCHEMA}`)).json
  await tokens.post(`/attestation/${attestation_id}/revoke`, { reason: "test" })
  await sql`
    insert into investors (workspace_id, id, external_id, created_at)
    select ${key.workspaceId}, 'inv_many' || n, (case when n > ${MANY} then 'walk-' else 'walk-two-' end) || n, now()
    from generate_series(1, ${TOO_MANY}) n`
  moments = { before, later, now: { slot: null, time: new Date() } }
})

const ask = (more: Partial<Asked>): Asked => ({
  ...{ workspaceId: key.workspaceId, mintConfig: config, moment: moments.later! },
  ...{ investor: null, named: null, verified: null, after: null, most: 1000, ...more },
})

/** All rows, read in pages of two that take at most so many steps. */
async function paged(asked: Asked, mostSteps: number): Promise<Row[]> {
  const all: Row[] = []
  for (;;) {
    const page = await byInvestor({ ...asked, after: all.at(-1)?.key ?? null, most: 3 }, mostSteps)
    all.push(...page.slice(0, 2))
    if (page.length < 3) return all
  }
}

/** What the register by wallet says of each holder. */
async function expected(asked: Asked): Promise<unknown[]> {
  const { verified, ...every } = asked
  const rows = await byWallet({ ...every, verified: null })
  const wanted = new Set((await byWallet(asked)).map(({ wallet }) => wallet))
  const groups = Map.groupBy(rows, ({ wallet, investor_id }) => investor_id ?? wallet)
  return [...groups]
    .filter(([, own]) => own.some(({ wallet }) => wanted.has(wallet)))
    .map(([id, own]) => [
      id,
      own.length,
      own.reduce((sum, { balance }) => sum + Number(balance), 0),
      own.reduce((sum, { held }) => sum + Number(held), 0),
      own[0]!.external_id,
    ])
    .toSorted(([a], [b]) => (placeOf(String(a)) < placeOf(String(b)) ? -1 : 1))
}
const placeOf = (id: string) => (id.startsWith("inv_") ? id : `~${id}`)
const shown = (rows: readonly Row[]) =>
  rows.map((row) => [row.key, row.wallets, Number(row.balance), Number(row.held), row.external_id])

const searches: Record<string, () => Promise<NamedPeople | null>> = {
  "no search": async () => null,
  "a text that names too many": () => readNamed(key.workspaceId, "walk"),
  "a text that names many": () => readNamed(key.workspaceId, "walk-two"),
  "a text that names one": () => readNamed(key.workspaceId, "walk-new"),
  "a wallet": () => readNamed(key.workspaceId, ownerless[1]),
}

test.each(Object.keys(searches))("pages by investor are those of the register by wallet: %s", async (search) => {
  const named = await searches[search]!()
  expect(search === "a text that names too many").toBe(named?.ids === null)
  for (const [name, moment] of Object.entries(moments))
    for (const verified of [null, verifiedAt(key.workspaceId, SCHEMA, moment)]) {
      const asked = ask({ moment, named, verified })
      const rows = await expected(asked)
      if (verified === null) expect(rows).not.toEqual([])
      // Without a step all holders are added up, with few the two ways take turns, and with many the walk ends each page.
      for (const steps of [0, 1, 4, 2000, 10_000])
        expect([name, verified !== null, steps, shown(await paged(asked, steps))]).toEqual([
          ...[name, verified !== null, steps, rows],
        ])
    }
})

test.each(["investor", "wallet"] as const)(
  "the largest first, page by page, are the same rows: by %s",
  async (group) => {
    const plain = group === "investor" ? byInvestor : byWallet
    for (const search of Object.keys(searches)) {
      const named = await searches[search]!()
      for (const verified of [null, verifiedAt(key.workspaceId, SCHEMA, moments.later!)]) {
        const asked = ask({ named, verified })
        const rows = [...(await plain(asked))].map(({ key, ...row }) => ({ ...row, key: `${row.balance}_${key}` }))
        const keyOf = ({ key }: Row) => key.replace(/^\d+_/, "")
        rows.sort((a, b) => Number(b.balance) - Number(a.balance) || (keyOf(a) < keyOf(b) ? -1 : 1))
        const all: Row[] = []
        for (;;) {
          const page = await inOrder({ ...asked, after: all.at(-1)?.key ?? null, most: 3 }, group, "largest")
          all.push(...page.slice(0, 2))
          if (page.length < 3) break
        }
        expect([search, all]).toEqual([search, rows])
      }
    }
  },
)

test("a place of another order is refused", () => {
  for (const after of [ownerless[0]!, owners.two, "_x", "-1_x"])
    expect(() => inOrder(ask({ after }), "wallet", "largest")).toThrow()
})

test("investors come by id, and wallets without one after all of them", async () => {
  const keys = (await byInvestor(ask({}))).map(({ key }) => key)
  expect(keys.slice(-3)).toEqual(ownerless)
  expect(keys.slice(0, -3).every((id) => id.startsWith("inv_"))).toBe(true)
  expect(keys.slice(0, -3)).toEqual(keys.slice(0, -3).toSorted())
  // A wallet counts for the person it was verified for last, and a merged investor's for the other one.
  const rows = new Map((await byInvestor(ask({}))).map((row) => [row.key, row]))
  expect(rows.get(owners.two)).toMatchObject({ wallets: 3, balance: "35", external_id: "walk-two" })
  expect(rows.get(owners.new)).toMatchObject({ wallets: 1, balance: "15", external_id: "walk-new" })
  expect(rows.has(owners.merged)).toBe(false)
})

test("owners are the same when thousands are read together", async () => {
  const mintConfig = await tokens.config()
  await sql`
    insert into postings (workspace_id, mint_config, wallet, seq, delta, held_delta, balance, held, landed_at)
    select workspace_id, ${mintConfig}, wallet, seq, delta, held_delta, balance, held, landed_at from postings
    where workspace_id = ${key.workspaceId} and mint_config = ${config}`
  await sql`
    insert into holder_movements (workspace_id, mint_config, wallet, delta, landed_at)
    select ${key.workspaceId}, ${mintConfig}, 'many' || n, 1, ${before.time} from generate_series(1, ${MANY}) n`
  const asked = ask({ mintConfig, most: 10_000 })
  const rows = await expected(asked)
  expect(rows.length).toBeGreaterThan(MANY)
  expect(shown(await byInvestor(asked))).toEqual(rows)
})
