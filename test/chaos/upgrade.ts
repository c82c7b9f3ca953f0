import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { readJson } from "#server/embedded/lock.ts"
import { signal } from "#server/embedded/process.ts"
import type { Announcement } from "#server/embedded/services.ts"
import { previousRelease, unpack } from "../fixtures/releases.ts"
import { scrape } from "../matchers/scrape.ts"
import { assert } from "./assert.ts"
import { newClient } from "./client.ts"
import { newCustomers } from "./customers.ts"
import { createDeployment, type Deployment, until } from "./deployment.ts"
import { Issuer } from "./issuer.ts"
import { quietPorts } from "./ports.ts"
import { allVerified } from "./proof.ts"
import { randomFrom } from "./random.ts"
import { proveTokens } from "./token-proof.ts"

const WALLETS = 12
/** The archive is filled once a minute. */
const ROUNDS = 2

export type UpgradeRun = { mints: number; seed: number; say: (text: string) => void }

/**
 * A worker of the last release runs together with a server of this version, which archives old operations. Both sign
 * and settle. Sometimes one of them is killed. In the end, nothing acknowledged is lost.
 */
export async function upgrade({ mints, seed, say }: UpgradeRun) {
  const random = randomFrom(seed)
  const secret = () => randomBytes(32).toString("base64")
  const deployment = await createDeployment({
    ...{ VOUCH_SIGNER: secret(), VOUCH_DATA_KEY: secret(), VOUCH_ARCHIVE_AFTER_DAYS: "1" },
  })
  try {
    const commit = previousRelease()
    const before = unpack(commit, join(deployment.dataDir, "before"))
    say(`the previous version is ${commit.slice(0, 8)}`)
    let server = deployment.startServer()
    await deployment.ready(server)
    const apiKey = await deployment.createKey()
    const customers = newCustomers(deployment, { apiKey, total: WALLETS })
    await customers.runAll()
    await allVerified(customers)
    const wallets = customers.cases.map(({ wallet }) => wallet)
    const metricsPort = await quietPorts(1)
    const startOld = () =>
      deployment.startServer(
        {
          ...{ VOUCH_ROLE: "worker", VOUCH_DATA_DIR: join(deployment.dataDir, "old") },
          VOUCH_METRICS_PORT: String(metricsPort),
          DATABASE_URL: readJson<Announcement>(join(deployment.dataDir, "services.json"))!.databaseUrl,
          SOLANA_RPC_URL: deployment.rpcUrl,
        },
        [],
        before,
      )
    let old = startOld()
    const orders: Issuer["orders"][number][] = []
    let settledByTheOld = 0
    for (let round = 1; round <= ROUNDS; round++) {
      const issuer = new Issuer({ client: newClient(deployment, apiKey), wallets, total: mints })
      const done = issuer.run()
      for (let n = 1; n <= 4; n++) {
        issuer.release(Math.ceil((mints * n) / 4))
        await until("part of the mints", () => issuer.done >= (mints * n) / 8)
        await sleep(random.below(1000))
        const isOld = random.chance(0.5)
        const victim = isOld ? old : server
        if (isOld) settledByTheOld += await transactionsSettled(metricsPort)
        signal(victim.pid, "SIGKILL")
        await victim.exited
        if (isOld) old = startOld()
        else server = deployment.startServer()
        await deployment.ready(server)
        say(`round ${round}: the ${isOld ? "old" : "new"} version was killed, ${issuer.done}/${mints} done`)
      }
      await done
      await issuer.settle()
      orders.push(...issuer.orders)
      const archived = await age(deployment)
      say(`round ${round}: ${archived} operations in the archive, with the previous version running`)
    }
    await proveTokens(deployment, { client: newClient(deployment, apiKey), wallets, orders })
    const [row] = await deployment.query(
      (sql) => sql<{ archived: number; hot: number }[]>`
        select (select count(*)::int from archived_operations) as archived, (select count(*)::int from only operations) as hot`,
    )
    settledByTheOld += await transactionsSettled(metricsPort)
    assert(settledByTheOld > 0, () => `the previous version settled nothing: ${old.output()}`)
    for (const one of [old, server]) {
      signal(one.pid, "SIGTERM")
      await one.exited
    }
    return { before: commit.slice(0, 8), orders: orders.length, ...row!, settledByTheOld }
  } finally {
    await deployment.destroy()
  }
}

/** The number of transactions that a process has settled; 0 if it has just started and does not answer. */
async function transactionsSettled(metricsPort: number): Promise<number> {
  const metrics = await scrape(metricsPort).catch(() => null)
  return metrics?.values.get('vouch_transactions_total{mode="test",outcome="confirmed"}') ?? 0
}

/** Makes ended operations a week old and drops their bytes, until some are archived. Returns their number. */
async function age({ query }: Deployment): Promise<number> {
  await until("all operations to be final and counted", () =>
    query(async (sql) => {
      const [row] = await sql<{ is_over: boolean }[]>`
        select not exists (select from transactions where status = 'saved' or (status = 'confirmed' and finalized_at is null)
          or (status in ('confirmed', 'failed') and fee is not null and counted_at is null)) as is_over`
      return row!.is_over
    }),
  )
  await query(async (sql) => {
    await sql`
      update only transactions set wire = null, created_at = created_at - interval '7 days', settled_at = settled_at - interval '7 days',
        finalized_at = finalized_at - interval '7 days' where status <> 'saved' and settled_at > now() - interval '1 day'`
    await sql`
      update only operations set created_at = created_at - interval '7 days', finished_at = finished_at - interval '7 days'
      where finished_at > now() - interval '1 day'`
  })
  return until("operations to be archived", () =>
    query(async (sql) => {
      const [row] = await sql<{ hot: number; archived: number }[]>`
        select (select count(*)::int from only operations where finished_at < now() - interval '1 day') as hot,
          (select count(*)::int from archived_operations) as archived`
      return row!.hot === 0 && row!.archived
    }),
  )
}
