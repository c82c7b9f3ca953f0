import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { connectDatabase, disconnectDatabase, open, sql } from "#db/client.ts"
import { migrate } from "#db/migrate.ts"
import { createAccount } from "#server/domain/onboarding/create-account.ts"
import { type ConfigRow, firstConfig, loadConfigs } from "#server/domain/tokens/config.ts"
import type { Standings } from "#server/domain/tokens/holder-facts.ts"
import { loadUnlocked } from "#server/domain/tokens/lots/unlocked.ts"
import { transfer } from "#server/domain/tokens/operations/transfer.ts"
import { startPostgres } from "#server/embedded/postgres.ts"
import type { Address } from "#shared/address.ts"
import { readBaseUnits } from "#shared/amount.ts"
import { issueWith } from "./seed.ts"
import { table } from "./table.ts"
import { newWallet } from "./wallets.ts"

// `node bench/lots.ts [--lots 100000]` measures how long the books of a transfer take for a wallet with so many lots: what
// settles it, and what its holding period lets it transfer. Results are in bench/README.md.

const { values } = parseArgs({ options: { lots: { type: "string", default: "100000" } } })
const TIMES = 200
/** The most milliseconds that half of the transfers may take. */
const MOST_MS = 50

/** An investor from the United States. */
const standings: Standings = {
  claims: () => ({ country: "US" }),
  verifiedFor: () => null,
  isFrozen: () => false,
  isBarred: () => false,
}

const home = mkdtempSync(join(tmpdir(), "vouch-lots-"))
const quiet = { info: () => {}, warn: console.warn, error: console.error }
const postgres = await startPostgres({ dataDir: home, durable: false, log: quiet })
const admin = open(postgres.url, 1)
try {
  await migrate(postgres.url)
  connectDatabase(postgres.url, { max: 4 })
  issueWith(randomBytes(32).toString("base64"))
  const { workspaces } = await createAccount({ name: "Customer", plan: "enterprise" })
  const workspaceId = workspaces.test
  const count = Number(values.lots)
  const [one, many, to] = [newWallet(), newWallet(), newWallet()] as Address[]
  await fill(workspaceId, one!, 1, count)
  await fill(workspaceId, many!, count, 1)
  await admin`analyze lots, holdings`
  const config = await configOf(workspaceId)
  const rows: string[][] = []
  const measure = async (name: string, work: () => Promise<void>) => {
    const [half, most] = await timesOf(work)
    rows.push([name, half.toFixed(1), most.toFixed(1)])
    return half
  }
  const settle = (wallet: Address, amount: bigint) => () => settleTransfer(workspaceId, wallet, to!, amount)
  await measure("settle a transfer out of a wallet with one lot", settle(one!, 1n))
  const halves = [
    await measure(`the same with ${count} lots, taking one`, settle(many!, 1n)),
    await measure(`the same with ${count} lots, taking a hundred`, settle(many!, 100n)),
    await measure(`read what a holding period lets a wallet with ${count} lots transfer`, async () => {
      await loadUnlocked(
        sql,
        workspaceId,
        [{ config, key: { config: config.id, wallet: many! }, units: 100n }],
        standings,
        new Date(),
      )
    }),
  ]
  console.log(table(["", "p50, ms", "p95, ms"], rows))
  if (Math.max(...halves) > MOST_MS) {
    console.error(`A transfer's lots take more than ${MOST_MS} ms.`)
    process.exitCode = 1
  }
} finally {
  await admin.end()
  await disconnectDatabase()
  await postgres.stop()
  rmSync(home, { recursive: true })
}

/** What a wallet acquired, one lot a minute. */
async function fill(workspaceId: string, wallet: Address, count: number, units: number): Promise<void> {
  const key = admin`translate(md5(${wallet} || n), '0', 'z')`
  await admin`
    insert into lots (workspace_id, id, mint_config, wallet, units, acquired_at, exemption)
    select ${workspaceId}, 'lot_' || left(${key}, 22), ${firstConfig.id}, ${wallet}, ${units},
      '2020-01-01'::timestamptz + n * interval '1 minute', 'none'
    from generate_series(1, ${count}) n`
  const total = count * units
  await admin`
    insert into holdings (workspace_id, mint_config, wallet, balance, lotted, outgoing, counted)
    values (${workspaceId}, ${firstConfig.id}, ${wallet}, ${total}, ${total}, ${total}, true)`
}

async function configOf(workspaceId: string): Promise<ConfigRow> {
  const config = (await loadConfigs(sql, workspaceId, [firstConfig.id], { lock: false })).get(firstConfig.id)!
  return { ...config, rules: { holding_period_days: { us: 365, non_us: 365 } } }
}

/** As when its transaction was confirmed. */
async function settleTransfer(workspaceId: string, from: Address, to: Address, units: bigint): Promise<void> {
  const amount = readBaseUnits(String(units))
  const payload = { mint_config: firstConfig.id, from_wallet: from, wallet: to, amount }
  await sql.begin(async (sql) => {
    await sql`
      insert into holdings (workspace_id, mint_config, wallet, incoming)
      values (${workspaceId}, ${firstConfig.id}, ${to}, ${String(units)})
      on conflict (workspace_id, mint_config, wallet) do update set incoming = holdings.incoming + excluded.incoming`
    await transfer.settle!(
      sql,
      [{ id: "op_bench", workspaceId, payload, attempts: 0, redo: false, landing: null }],
      workspaceId,
    )
  })
}

/** Milliseconds at the 50th and the 95th percentile. */
async function timesOf(work: () => Promise<void>): Promise<[number, number]> {
  const times: number[] = []
  for (let i = 0; i < TIMES; i++) {
    const began = performance.now()
    await work()
    times.push(performance.now() - began)
  }
  times.sort((a, b) => a - b)
  return [times[TIMES / 2]!, times[Math.floor(TIMES * 0.95)]!]
}
