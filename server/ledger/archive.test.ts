import { beforeAll, expect, test } from "vitest"
import { open, sql } from "#db/client.ts"
import { latestOperations } from "#server/dashboard/overview/operations.ts"
import { auditWorkspace } from "#server/domain/audits/audit-ledger.ts"
import { eraseWallet } from "#server/domain/privacy/erase.ts"
import { newId } from "#server/lib/ids.ts"
import { addDays } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import { newWallet, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { type Browser, member } from "#test/fixtures/people.ts"
import { type TokenFixture, tokenFixture } from "#test/fixtures/tokens.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"
import { archiveEnded } from "./archive.ts"

let key: TestKey
let browser: Browser
let tokens: TokenFixture
let config: string
let alice: Address
let bob: Address

usesApp()
beforeAll(async () => {
  const owner = await member(app)
  browser = owner.browser
  key = await app.key({ account: owner.account })
  tokens = tokenFixture(app, key)
  config = await tokens.config()
  ;[alice, bob] = await tokens.wallets(2)
})

const never = () => false
const soon = () => addDays(new Date(), 1)
const mint = async (wallet = alice, more = {}) => {
  const { status, json, text } = await tokens.mint(config, wallet, "2", more)
  expect(status, text).toBe(200)
  return json.operation_id as string
}
/** Makes everything final and so old that its bytes are dropped. */
async function allEnded(): Promise<void> {
  await waitFor(
    async () =>
      (
        await sql`
          select from transactions where status = 'saved' or (status = 'confirmed' and finalized_at is null)
            or (status <> 'expired' and fee is not null and counted_at is null)`
      ).length === 0,
    "all to be final and counted",
  )
  await sql`update only transactions set wire = null`
}

type Places = { hot: number; archived: number; ids: number }
async function places(): Promise<Record<"operations" | "transactions", Places>> {
  const [operations] = await sql<Places[]>`
    select (select count(*)::int from only operations) as hot, (select count(*)::int from archived_operations) as archived,
      (select count(distinct (workspace_id, id))::int from operations) as ids`
  const [transactions] = await sql<Places[]>`
    select (select count(*)::int from only transactions) as hot, (select count(*)::int from archived_transactions) as archived,
      (select count(distinct signature)::int from transactions) as ids`
  return { operations: { ...operations! }, transactions: { ...transactions! } }
}

/** All pages of a list, two entries each. */
async function walk(query: string): Promise<unknown[]> {
  const all: unknown[] = []
  for (let cursor = ""; ; ) {
    const { status, json } = await tokens.get(`/token/operations?limit=2${query}${cursor}`)
    expect(status).toBe(200)
    all.push(json.data)
    if (json.next_cursor === null) return all
    cursor = `&cursor=${json.next_cursor}`
  }
}

/** What customers see of their operations. */
async function whatIsSeen() {
  const ids = (
    await sql<{ id: string }[]>`select id from operations where kind in ('mint', 'transfer') order by seq`
  ).map(({ id }) => id)
  const attested = await sql<{ id: string; onchain_tx: string }[]>`
    select id, onchain_tx from attestations where workspace_id = ${key.workspaceId} order by seq`
  return {
    lists: await Promise.all(
      ["", `&mint_config=${config}`, `&pubkey=${alice}`, `&pubkey=${bob}`, "&status=confirmed", "&status=failed"].map(
        walk,
      ),
    ),
    operations: await Promise.all(ids.map(async (id) => (await tokens.get(`/token/operation/${id}`)).json)),
    details: await Promise.all(ids.map(async (id) => (await browser.query("token.operationDetail", { id })).data)),
    proofs: await Promise.all(attested.map(async ({ id }) => (await browser.query("attestation.detail", { id })).data)),
    latest: await latestOperations(key.workspaceId, 50),
    usage: (await tokens.get("/usage")).json,
  }
}

test("customers and reconciliations see the same with nothing, some rows and all rows in the archive", async () => {
  for (const wallet of [alice, bob, alice]) await mint(wallet)
  await tokens.transfer(config, alice, bob, "1")
  const half = new Date()
  await mint()
  await sql`
    insert into operations (workspace_id, id, kind, status, payload, writes, reads, mint_config, wallet, error_code,
      error_detail, created_at, finished_at)
    values (${key.workspaceId}, ${newId("op")}, 'mint', 'failed', '{"amount":"1"}', '{}', '{}', ${config}, ${alice},
      'country_not_allowed', 'not from there', now(), now())`
  await allEnded()
  const audits = async () => {
    const workspace = { id: key.workspaceId, mode: key.mode }
    return [await auditWorkspace(workspace, { isFull: true }), await auditWorkspace(workspace, { isFull: false })]
  }
  const seen = await whatIsSeen()
  expect(seen.lists[0]!.length).toBeGreaterThan(2)
  expect(seen.operations.every(({ status }) => status === "confirmed" || status === "failed")).toBe(true)
  expect(seen.proofs).toHaveLength(2)
  const [full] = await audits()
  expect(full!.differences).toEqual([])
  const { operations, transactions } = await places()
  for (const until of [half, soon()]) {
    await archiveEnded(until, never)
    const now = await places()
    for (const [before, after] of [
      [operations, now.operations],
      [transactions, now.transactions],
    ] as const) {
      expect(after.archived).toBeGreaterThan(0)
      expect(after.hot + after.archived).toBe(before.hot)
      expect(after.ids).toBe(before.ids)
      expect(after.hot > 0).toBe(until === half)
    }
    expect(await whatIsSeen()).toEqual(seen)
    const [again, incremental] = await audits()
    expect(again!.differences).toEqual([])
    expect(again!.checked).toEqual(full!.checked)
    expect(incremental!.differences).toEqual([])
  }
  // A full audit compares the archive, too.
  await sql`create table lost as select * from archived_transactions limit 1`
  await sql`delete from archived_transactions where signature = (select signature from lost)`
  const [lost] = await audits()
  expect(lost!.differences.map(({ kind }) => kind)).toContain("foreign_transaction")
  await sql`insert into archived_transactions select * from lost`
  await sql`drop table lost`
})

test("a repeated key joins an archived operation, even if its stored answer was deleted", async () => {
  const headers = { headers: { "idempotency-key": "once" } }
  const id = await mint(alice, headers)
  await allEnded()
  await archiveEnded(soon(), never)
  const supply = await tokens.supply(config)
  expect(await mint(alice, headers)).toBe(id)
  await sql`update idempotency_records set status = null, body = null where idempotency_key = 'once'`
  expect(await mint(alice, headers)).toBe(id)
  expect(await tokens.supply(config)).toBe(supply)
})

/** Compares all history, as after a failover or a restore, and returns the results. */
async function compareAll() {
  const about = () => app.log.filter((line) => line.includes("the database was compared with the chain"))
  const before = about().length
  await sql`update chains set server = 'another', lineage = 'another',
      seen_slot = (select min(slot) from transactions) where mode = ${key.mode}`
  const line = await waitFor(async () => about()[before] ?? null, "the comparison to end")
  return JSON.parse(line) as { settled: number; unexplained: number; quarantined: string[] }
}

test("after a restore the archive counts, and rows that it lost or has in another state are booked again", async () => {
  await allEnded()
  await archiveEnded(soon(), never)
  expect(await compareAll()).toMatchObject({ settled: 0, unexplained: 0, quarantined: [] })
  const [lost, wrong] = await sql<{ signature: string }[]>`
    select o.signature from archived_operations o join archived_transactions t using (signature)
    where o.kind = 'mint' and t.status = 'confirmed' group by 1 limit 2`
  const before = await places()
  await sql`delete from archived_transactions where signature = ${lost!.signature}`
  await sql`update archived_transactions set status = 'expired' where signature = ${wrong!.signature}`
  expect(await compareAll()).toMatchObject({ settled: 2, unexplained: 0, quarantined: [] })
  expect((await places()).transactions).toEqual({
    hot: 2,
    archived: before.transactions.archived - 2,
    ids: before.transactions.ids,
  })
  const supply = await tokens.supply(config)
  await mint()
  expect(await tokens.supply(config)).toBe(supply + 2n)
})

/** Starts a move whose statement waits halfway, and returns a function that lets it continue. */
async function heldInTheMiddle() {
  const holder = open(app.databaseUrl, 1)
  await holder`select pg_advisory_lock(1)`
  await sql.unsafe(`
    create function wait() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock(1); return new; end $$;
    create trigger wait before insert on archived_operations for each row execute function wait()`)
  const moving = archiveEnded(soon(), never)
  // The test checks the result later. Until then a rejection must not count as unhandled.
  moving.catch(() => {})
  const pid = await waitFor(async () => {
    const [waiting] = await sql<{ pid: number }[]>`
      select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
        and query like '%insert into archived_operations%' and pid <> pg_backend_pid()`
    return waiting?.pid ?? null
  }, "the move to be halfway")
  const goOn = async () => {
    await holder.end()
    await moving.catch(() => {})
    await sql`drop function wait cascade`
  }
  return { moving, pid, goOn }
}

test("a move that is killed halfway moves nothing, and four at once move everything once", async () => {
  for (let n = 0; n < 3; n++) await mint()
  await allEnded()
  const before = await places()
  expect(before.operations.hot).toBeGreaterThan(2)
  const { moving, pid, goOn } = await heldInTheMiddle()
  await sql`select pg_terminate_backend(${pid})`
  await expect(moving).rejects.toThrow()
  await goOn()
  expect(await places()).toEqual(before)
  await Promise.all(Array.from({ length: 4 }, () => archiveEnded(soon(), never)))
  await archiveEnded(soon(), never)
  const { operations, transactions } = await places()
  expect(operations).toEqual({
    hot: 0,
    archived: before.operations.ids,
    ids: before.operations.ids,
  })
  expect(transactions).toEqual({
    hot: 0,
    archived: before.transactions.ids,
    ids: before.transactions.ids,
  })
})

test("data that is erased during the move is erased", async () => {
  const wallet = newWallet()
  await sql`
    insert into operations (workspace_id, id, kind, status, payload, writes, reads, mint_config, wallet, error_code,
      error_detail, created_at, finished_at)
    values (${key.workspaceId}, ${newId("op")}, 'mint', 'failed', '{"amount":"1"}', '{}', '{}', ${config}, ${wallet},
      'country_not_allowed', 'not from there', now(), now())`
  const { moving, goOn } = await heldInTheMiddle()
  const erasing = eraseWallet({ workspaceId: key.workspaceId, wallet })
  await waitFor(
    async () =>
      (
        await sql`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
            and query like '%for share%'`
      ).length > 0,
    "the erasure to wait for the move",
  )
  await goOn()
  await Promise.all([moving, erasing])
  const [archived] = await sql<{ error_detail: string }[]>`
    select error_detail from archived_operations where wallet = ${wallet}`
  expect(archived).toEqual({ error_detail: "Erased." })
})

test("the archive has the columns of the tables, in their order: rows are moved whole", async () => {
  const columnsOf = async (table: string) => [
    ...(await sql`
      select attname, format_type(atttypid, atttypmod) from pg_attribute
      where attrelid = ${table}::regclass and attnum > 0 and not attisdropped order by attnum`),
  ]
  for (const table of ["operations", "transactions"])
    expect(await columnsOf(`archived_${table}`)).toEqual(await columnsOf(table))
})

test.each([
  ["queued and submitted operations", "operations", "status in ('queued', 'submitted')"],
  ["operations that are being signed", "operations", "status = 'queued'"],
  ["transactions that may land", "transactions", "status = 'saved'"],
  ["transactions that may vanish", "transactions", "status = 'confirmed' and finalized_at is null"],
  [
    "what is not counted",
    "transactions",
    "status in ('confirmed', 'failed') and fee is not null and counted_at is null",
  ],
  ["bytes", "transactions", "wire is not null"],
])("a search for %s does not read the archive", async (_what, table, where) => {
  const plan = async (only: string) =>
    (await sql.unsafe(`explain select from ${table} where ${only}`)).map((row) => row["QUERY PLAN"]).join("\n")
  expect(await plan(where)).not.toContain("archived")
  expect(await plan("workspace_id = 'ws_1'")).toContain("archived")
})
