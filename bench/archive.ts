import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { connectDatabase, disconnectDatabase, open, sql } from "#db/client.ts"
import { migrate } from "#db/migrate.ts"
import { latestOperations } from "#server/dashboard/overview/operations.ts"
import { createAccount } from "#server/domain/onboarding/create-account.ts"
import type { Principal } from "#server/domain/requests/context.ts"
import { lastLandingOnAccounts } from "#server/domain/tokens/account-states.ts"
import { firstConfig } from "#server/domain/tokens/config.ts"
import { getOperation, listOperations } from "#server/domain/tokens/operation.ts"
import { startPostgres } from "#server/embedded/postgres.ts"
import { archiveEnded } from "#server/ledger/archive.ts"
import { enqueueAll } from "#server/ledger/operation.ts"
import { nextWorkspace, readRunnable } from "#server/ledger/queue.ts"
import { addDays } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import { issueWith } from "./seed.ts"
import { table } from "./table.ts"

// `node bench/archive.ts` measures how much old operations slow down current work, in the same tables and in the archive
// (bench/README.md). Takes about five minutes.

const { values } = parseArgs({ options: { operations: { type: "string", default: "2000000" } } })
const CUSTOMERS = 8
const WALLETS = 20_000
/** The operations are a year old and span this many days. */
const DAYS = 365
const KEEP_DAYS = 90
const TIMES = 200

const home = mkdtempSync(join(tmpdir(), "vouch-archive-"))
const quiet = { info: () => {}, warn: console.warn, error: console.error }
const postgres = await startPostgres({ dataDir: home, durable: false, log: quiet })
/** A connection without the server's time limits for statements. */
const admin = open(postgres.url, 1)
try {
  await migrate(postgres.url)
  connectDatabase(postgres.url, { max: 4 })
  issueWith(randomBytes(32).toString("base64"))
  const workspaces = await fill(Number(values.operations))
  const before = await measure(workspaces)
  const began = performance.now()
  await archiveEnded(addDays(new Date(), -KEEP_DAYS), () => false)
  const seconds = (performance.now() - began) / 1000
  const [moved] = await sql<{ count: number }[]>`select count(*)::int from archived_operations`
  console.log(`${moved!.count} operations and their transactions were archived in ${seconds.toFixed(0)} s`)
  await admin`vacuum full operations, transactions`
  const after = await measure(workspaces)
  const rows = [...before].map(([name, one]) => {
    const other = after.get(name)!
    return [name, one.toFixed(2), other.toFixed(2), (other / one).toFixed(2)]
  })
  console.log(table(["", "all in one", "archived", "ratio"], rows))
} finally {
  await admin.end()
  await disconnectDatabase()
  await postgres.stop()
  rmSync(home, { recursive: true })
}

type Workspace = { id: string; wallets: Address[]; operations: string[] }

/** A year of finalized mints, one transaction each, spread evenly over customers and wallets. */
async function fill(count: number): Promise<Workspace[]> {
  const workspaces: Workspace[] = []
  const withIndexes = await withoutIndexes()
  for (let n = 0; n < CUSTOMERS; n++) {
    const { workspaces: made } = await createAccount({ name: `Customer ${n}`, plan: "enterprise" })
    const id = made.live
    const share = Math.floor(count / CUSTOMERS)
    const at = admin`now() - ${DAYS} * interval '1 day' * (1 - n::float8 / ${share})`
    const key = admin`translate(md5(${id} || n), '0', 'z')`
    await admin`
      insert into operations (workspace_id, id, kind, status, payload, writes, reads, mint_config, wallet, signature, fee, rent,
        created_at, finished_at)
      select ${id}, 'op_' || left(${key}, 22), 'mint', 'confirmed', jsonb_build_object('amount', '1000000', 'wallet', wallet),
        '{}', array[${firstConfig.id}, wallet], ${firstConfig.id}, wallet, ${key} || ${key} || left(${key}, 24), 5000, 0, at, at
      from (select n, ${at} as at, rpad(md5(${id} || 'wallet' || (n % ${WALLETS})), 44, 'x') as wallet
        from generate_series(1, ${share}) n) t`
    await admin`
      insert into transactions (signature, workspace_id, mode, wire, head, layout, signed_slot, last_valid_block_height, fee,
        rent, counted_at, status, slot, created_at, settled_at, finalized_at)
      select ${key} || ${key} || left(${key}, 24), ${id}, 'live', null, 2,
        jsonb_build_array(jsonb_build_array('op_' || left(${key}, 22), 2)), n, n, 5000, 0, at, 'confirmed', n, at, at, at
      from (select n, ${at} as at from generate_series(1, ${share}) n) t`
    const sample = await sql<{ id: string; wallet: Address }[]>`
      select id, wallet from operations tablesample bernoulli (10) where workspace_id = ${id} limit ${TIMES}`
    workspaces.push({
      id,
      wallets: sample.map(({ wallet }) => wallet),
      operations: sample.map((one) => one.id),
    })
  }
  await withIndexes()
  return workspaces
}

/** Drops the indexes, which would slow down filling. Returns a function that creates them again. */
async function withoutIndexes() {
  const indexes = await admin<{ name: string; definition: string }[]>`
    select indexname as name, indexdef as definition from pg_indexes
    where tablename in ('operations', 'transactions') and indexname not like '%pkey' and indexname not like '%_pk'`
  for (const { name } of indexes) await admin`drop index ${admin(name)}`
  return async () => {
    for (const { definition } of indexes) await admin.unsafe(definition)
  }
}

/** Sizes in megabytes, and median times in milliseconds, by name. */
async function measure(workspaces: Workspace[]): Promise<Map<string, number>> {
  await admin`analyze operations, transactions, archived_operations, archived_transactions`
  const found = new Map<string, number>()
  for (const name of ["operations", "transactions"]) {
    const [size] = await sql<{ heap: number; indexes: number }[]>`
      select pg_table_size(${name}) / 1e6::float8 as heap, pg_indexes_size(${name}) / 1e6::float8 as indexes`
    found.set(`${name}, MB`, size!.heap)
    found.set(`${name}, indexes, MB`, size!.indexes)
  }
  const payers = { own: "" as Address, low: [], empty: [] }
  const noExclusions = {
    after: "",
    except: [],
    urgent: "first",
    blocked: [],
    full: [],
    mode: "live",
    payers,
  } as const
  const all = { signing: [], only: null, urgentOnly: false }
  const page = {
    kind: null,
    mintConfig: null,
    wallet: null,
    status: null,
    after: null,
    before: null,
    limit: 50,
    cursor: null,
  }
  const as = (one: Workspace) => ({ workspaceId: one.id }) as Principal
  const steps: Record<string, (one: Workspace, n: number) => Promise<unknown>> = {
    "next workspace": () => nextWorkspace(noExclusions),
    "queue of a workspace": (one) => readRunnable(one.id, all),
    "enqueue 64, settle and forget them": enqueueAndSettle,
    "last landing on 64 accounts": (one, n) =>
      lastLandingOnAccounts(
        sql,
        one.id,
        one.wallets.slice(n % 100, (n % 100) + 64).map((wallet) => ({ config: firstConfig.id, wallet })),
      ),
    "an operation by its id": (one, n) => getOperation(as(one), one.operations[n % one.operations.length]!),
    "first page": (one) => listOperations(as(one), page),
    "first page of a wallet": (one, n) =>
      listOperations(as(one), { ...page, wallet: one.wallets[n % one.wallets.length]! }),
    "first page of those that failed": (one) => listOperations(as(one), { ...page, status: "failed" }),
    "latest on the overview": (one) => latestOperations(one.id, 10),
  }
  for (const [name, step] of Object.entries(steps)) {
    const times: number[] = []
    for (let n = 0; n < TIMES; n++) {
      const began = performance.now()
      await step(workspaces[n % CUSTOMERS]!, n)
      times.push(performance.now() - began)
    }
    found.set(`${name}, ms`, times.sort((one, other) => one - other)[TIMES / 2]!)
  }
  return found
}

/** The cost to Postgres of taking 64 operations through the table. */
async function enqueueAndSettle({ id, wallets }: Workspace): Promise<void> {
  const now = new Date()
  const rows = wallets.slice(0, 64).map((wallet, n) => ({
    id: `op_${now.getTime()}_${n}`,
    kind: "mint",
    urgent: false,
    payload: { amount: "1", wallet },
    mint_config: firstConfig.id,
    wallet,
    from_wallet: null,
    writes: [],
    traceparent: null,
    reads: [wallet],
  }))
  await enqueueAll(sql, id, rows, now)
  const ids = rows.map((row) => row.id)
  await sql`
    update operations set status = 'submitted', signature = id where workspace_id = ${id} and id = any(${ids}) and status = 'queued'`
  await sql`update operations set status = 'confirmed', finished_at = ${now} where workspace_id = ${id} and id = any(${ids})`
  await sql`delete from operations where workspace_id = ${id} and id = any(${ids})`
}
