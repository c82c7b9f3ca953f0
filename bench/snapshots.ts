import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { connectDatabase, disconnectDatabase, open } from "#db/client.ts"
import { migrate } from "#db/migrate.ts"
import { createAccount } from "#server/domain/onboarding/create-account.ts"
import { csvOf, summarize } from "#server/domain/snapshots/holders.ts"
import { firstConfig } from "#server/domain/tokens/config.ts"
import { startPostgres } from "#server/embedded/postgres.ts"
import { issueWith } from "./seed.ts"
import { table } from "./table.ts"
import { newWallet } from "./wallets.ts"

// `node --expose-gc bench/snapshots.ts [--holders 100000]` measures how long it takes to read and hash the holders of a
// snapshot, how long their CSV takes, and how much memory both need. Results are in bench/README.md.

const { values } = parseArgs({ options: { holders: { type: "string", default: "100000" } } })
/** How many changes each holder's balance has had. */
const POSTINGS = 5
const MOST_SECONDS = 30
/** How much the heap may grow with the number of holders. A row in memory takes about 200 bytes. */
const MOST_MB = 20
const RECORD_DATE = new Date("2026-01-01T00:00:00Z")

const { gc } = globalThis
if (gc === undefined) throw new Error("Start it with node --expose-gc.")
const home = mkdtempSync(join(tmpdir(), "vouch-snapshots-"))
const quiet = { info: () => {}, warn: console.warn, error: console.error }
const postgres = await startPostgres({ dataDir: home, durable: false, log: quiet })
const admin = open(postgres.url, 1)
try {
  await migrate(postgres.url)
  connectDatabase(postgres.url, { max: 4 })
  issueWith(randomBytes(32).toString("base64"))
  const { workspaces } = await createAccount({ name: "Customer", plan: "enterprise" })
  const about = { workspaceId: workspaces.test, mintConfig: firstConfig.id, recordAt: RECORD_DATE }
  const rows: string[][] = []
  const most = Number(values.holders)
  let known = 0
  for (const holders of [most / 100, most / 10, most]) {
    await fill(about.workspaceId, holders - known)
    known = holders
    const [summary, hashing] = await measured(() => summarize(about))
    let bytes = 0
    const [, sending] = await measured(async () => {
      for await (const part of csvOf(about)) bytes += part.length
    })
    if (summary.holders !== holders) throw new Error(`${summary.holders} holders instead of ${holders}.`)
    rows.push([String(holders), ...hashing.map(shown), (bytes / 1e6).toFixed(1), ...sending.map(shown)])
    const [seconds, mb] = [hashing[0] + sending[0], Math.max(hashing[1], sending[1])]
    if (seconds > MOST_SECONDS || mb > MOST_MB) {
      console.error(`${holders} holders took ${seconds.toFixed(1)} s and ${mb.toFixed(1)} MB.`)
      process.exitCode = 1
    }
  }
  console.log(table(["holders", "read and hash, s", "heap, MB", "CSV, MB", "read the CSV, s", "heap, MB"], rows))
} finally {
  await admin.end()
  await disconnectDatabase()
  await postgres.stop()
  rmSync(home, { recursive: true })
}

/** Wallets whose balances have changed several times, and once more after the record date. */
async function fill(workspaceId: string, count: number): Promise<void> {
  const BATCH = 10_000
  for (let left = count; left > 0; left -= BATCH) {
    const wallets = Array.from({ length: Math.min(left, BATCH) }, newWallet)
    await admin`
      insert into postings (workspace_id, mint_config, wallet, seq, delta, held_delta, balance, held, landed_at)
      select ${workspaceId}, ${firstConfig.id}, wallet, n, 1000000, 0, n * 1000000, 0,
        case when n > ${POSTINGS} then '2026-02-01' else '2025-01-01' end::timestamptz
      from unnest(${wallets}::text[]) wallet, generate_series(1, ${POSTINGS + 1}) n`
  }
  await admin`analyze postings`
}

/** Seconds, and by how many MB the heap in use after a collection was higher than before, at most. */
async function measured<T>(work: () => Promise<T>): Promise<[T, [number, number]]> {
  gc!()
  const before = process.memoryUsage().heapUsed
  let highest = before
  const watch = setInterval(() => {
    gc!()
    highest = Math.max(highest, process.memoryUsage().heapUsed)
  }, 100)
  const began = performance.now()
  const result = await work()
  const seconds = (performance.now() - began) / 1000
  clearInterval(watch)
  return [result, [seconds, (highest - before) / 1e6]]
}

function shown(value: number): string {
  return value.toFixed(1)
}
