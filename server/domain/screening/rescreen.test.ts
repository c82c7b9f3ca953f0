import { createHash, randomBytes } from "node:crypto"
import { readFile } from "node:fs/promises"
import bs58 from "bs58"
import { afterAll, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { applyHeld } from "#server/domain/kyc/approve.ts"
import { clock } from "#server/lib/time.ts"
import { startTestApp, type TestApp, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { screeningHealth, type TestList, testList } from "#test/fixtures/screening.ts"
import { rescreenDue } from "./rescreen.ts"

// One process without a worker, so only the test's calls compare wallets.
let app: TestApp
let list: TestList
let key: TestKey
const rescreen = () => rescreenDue(applyHeld)
const WALLETS = 12_000
const wallets = Array.from({ length: WALLETS }, () => bs58.encode(randomBytes(32))).sort()

beforeAll(async () => {
  list = await testList()
  app = await startTestApp({ VOUCH_ROLE: "web", VOUCH_SANCTIONS_LIST: list.path })
  key = await app.key()
  await fill(key, wallets)
  await count()
})
afterAll(async () => {
  await app.stop()
  await list.remove()
})

/** Attestations of one investor that ended long ago, so that the workspace knows the wallets. */
const fill = ({ workspaceId }: TestKey, wallets: readonly string[]) => sql`
  with investor as (
    insert into investors (workspace_id, id, external_id, created_at)
    values (${workspaceId}, ${`inv_${randomBytes(8).toString("hex")}`}, 'filled', ${clock.now()}) returning id
  )
  insert into attestations (workspace_id, id, schema_id, wallet, investor_id, status, period, created_at, session_id, provider)
  select ${workspaceId}, 'att_' || ${workspaceId} || n, 'kyc_individual_v1', wallet, investor.id, 'expired', '2026-01-01',
    ${clock.now()}, 'sess_' || ${workspaceId} || n, 'sandbox'
  from investor, unnest(${wallets as string[]}::text[]) with ordinality as t(wallet, n)`

/** Counts how often a walk saves its progress. Each time, it has read at most 5000 rows. */
async function count(): Promise<void> {
  await sql`create table steps (workspace_id text, step text)`
  await sql.unsafe(`
    create function note_step() returns trigger language plpgsql as $$
    begin insert into steps values (new.workspace_id, old.step); return new; end $$;
    create trigger note_step after update on screenings for each row
      when (new.token = old.token and (new.step, new.up_to) is distinct from (old.step, old.up_to))
      execute function note_step()`)
}
const stepsOf = async ({ workspaceId }: TestKey) => {
  const rows = await sql<{ step: string; times: number }[]>`
    select step, count(*)::int as times from steps where workspace_id = ${workspaceId} group by step`
  await sql`delete from steps`
  return Object.fromEntries(rows.map(({ step, times }) => [step, times]))
}
const screening = async ({ workspaceId }: TestKey) =>
  (await sql`select * from screenings where workspace_id = ${workspaceId}`)[0]!
const hits = ({ workspaceId }: TestKey) =>
  sql<{ wallet: string }[]>`select wallet from screening_hits where workspace_id = ${workspaceId} order by wallet`

async function use(listed: readonly string[]) {
  await list.write(listed)
  const digest = createHash("sha256")
    .update(await readFile(list.path))
    .digest("hex")
  await waitFor(async () => (await screeningHealth(app)).lists[0].digest === digest, "the list to be loaded")
}

test("12,000 wallets are read in three steps, compared with a new version once, and matches are recorded once", async () => {
  const found = [wallets[0]!, wallets[5000]!, wallets[WALLETS - 1]!]
  await use([...found, bs58.encode(randomBytes(32))])
  await rescreen()
  expect((await hits(key)).map(({ wallet }) => wallet).sort()).toEqual(found.sort())
  const row = await screening(key)
  expect([row.step, Number(row.compared), row.found]).toEqual([null, WALLETS + found.length, found.length])
  // One more step for each match, so that a crash repeats nothing.
  expect(await stepsOf(key)).toEqual({ attestations: 3 + found.length, holdings: 1, hits: 1 + found.length })
  await rescreen()
  expect(await stepsOf(key)).toEqual({})
})

test("of ten simultaneous walks, one runs", async () => {
  await use([...(await hits(key)).map(({ wallet }) => wallet), wallets[7]!])
  await Promise.all(Array.from({ length: 10 }, rescreen))
  const row = await screening(key)
  expect(row.step).toBeNull()
  expect(Number(row.compared)).toBeLessThanOrEqual(WALLETS + 4)
  const reviews =
    await sql`select wallet from reviews where workspace_id = ${key.workspaceId} and wallet = ${wallets[7]!}`
  expect(reviews).toHaveLength(1)
  await stepsOf(key)
})

test("a walk that dies continues where it stopped, and its matches are recorded once", async () => {
  const before = await hits(key)
  const [early, deadly, late] = [wallets[100]!, wallets[6000]!, wallets[11_000]!]
  await sql.unsafe(`
    create function die() returns trigger language plpgsql as $$
    begin if new.wallet = '${deadly}' then raise exception 'killed'; end if; return new; end $$;
    create trigger die before insert on screening_hits for each row execute function die()`)
  await use([...before.map(({ wallet }) => wallet), early, deadly, late])
  await rescreen()
  const halfway = await screening(key)
  expect(halfway).toMatchObject({ step: "attestations", finished_at: null })
  expect(halfway.up_to > wallets[4998]! && halfway.up_to < deadly).toBe(true)
  await sql.unsafe("drop trigger die on screening_hits")
  await stepsOf(key)
  // The dead walk's claim is still valid, so no other walk begins.
  await rescreen()
  expect((await screening(key)).up_to).toBe(halfway.up_to)
  await sql`update screenings set claimed_until = clock_timestamp() - interval '1 second'`
  await waitFor(async () => {
    await rescreen()
    return (await screening(key)).step === null
  }, "the walk to end")
  expect((await hits(key)).map(({ wallet }) => wallet).sort()).toEqual(
    [...before.map(({ wallet }) => wallet), early, deadly, late].sort(),
  )
  // The walk did not start again: two steps were left, and two matches.
  expect((await stepsOf(key)).attestations).toBeLessThanOrEqual(1 + 2 + 2)
  for (const wallet of [early, deadly, late])
    expect(await sql`select id from reviews where wallet = ${wallet}`).toHaveLength(1)
})

test("each workspace has its own walk, which finds only its own wallets", async () => {
  const other = await app.key()
  const own = Array.from({ length: 10 }, () => bs58.encode(randomBytes(32)))
  await fill(other, own)
  const before = await hits(key)
  await use([...before.map(({ wallet }) => wallet), own[3]!])
  await rescreen()
  expect((await hits(other)).map(({ wallet }) => wallet)).toEqual([own[3]])
  expect(await hits(key)).toEqual(before)
})

test("a process without the newest list leaves the walk to those that have it", async () => {
  await sql`update screening_lists set digest = ${"0".repeat(64)}`
  await sql`delete from screenings`
  await rescreen()
  expect(await sql`select list from screenings`).toEqual([])
})
