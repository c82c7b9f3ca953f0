import { setTimeout as sleep } from "node:timers/promises"
import { open } from "#db/client.ts"
import { signal } from "#server/embedded/process.ts"
import { median, type Ratio } from "./rounds.ts"
import type { Server, Stage } from "./stage.ts"

const CONNECTIONS = 32
const WARMUP_MS = 3000
/** Simultaneous mints on the other replica. */
const MINTING = 8
/** Time limit for stopping the other replica inside a transaction. */
const CATCH_MS = 60_000

export type StoppedReplica = {
  /** Requests per second and p99, with an idle replica and with a stopped one. */
  idle: { per_second: number; p99_ms: number }
  stopped: { per_second: number; p99_ms: number }
  ratio: Ratio
}

/**
 * The cost to other replicas of one that is stopped in a transaction. Each round starts verifications on one server,
 * first while the other is idle, then after the other is stopped while it mints.
 */
export async function measureStoppedReplica(options: {
  stage: Stage
  vouch: Server
  rounds: number
  measure_ms: number
  say: (line: string) => void
}): Promise<StoppedReplica> {
  const { stage, vouch, rounds, measure_ms, say } = options
  const other = await stage.replica()
  const load = (ms: number) =>
    stage.load({
      port: vouch.port,
      traffic: "start",
      connections: CONNECTIONS,
      warmup_ms: 0,
      until: { measure_ms: ms },
    })
  say("With a stopped replica: warming up")
  await load(WARMUP_MS)
  const done: { idle: number; stopped: number; idle_p99_ms: number; stopped_p99_ms: number }[] = []
  for (let n = 1; n <= rounds; n++) {
    const idle = await load(measure_ms)
    await stopInTransaction(stage, other)
    const stopped = await load(measure_ms).finally(() => signal(other.pid, "SIGCONT"))
    const wrong = Object.entries({ ...idle.unexpected, ...stopped.unexpected })
    if (wrong.length > 0) throw new Error(`vouch answered ${JSON.stringify(wrong)}`)
    const rates = { idle: idle.answers / idle.seconds, stopped: stopped.answers / stopped.seconds }
    done.push({ ...rates, idle_p99_ms: idle.p99_ms, stopped_p99_ms: stopped.p99_ms })
    const figures = `${rates.idle.toFixed(0)}/s with an idle one, ${rates.stopped.toFixed(0)}/s`
    say(`With a stopped replica: round ${n} of ${rounds}: ${figures}`)
    await sleep(1000)
  }
  await other.stop()
  const ratios = done.map(({ idle, stopped }) => stopped / idle)
  return {
    idle: {
      per_second: median(done.map(({ idle }) => idle)),
      p99_ms: median(done.map(({ idle_p99_ms }) => idle_p99_ms)),
    },
    stopped: {
      per_second: median(done.map(({ stopped }) => stopped)),
      p99_ms: median(done.map(({ stopped_p99_ms }) => stopped_p99_ms)),
    },
    ratio: { median: median(ratios), lowest: Math.min(...ratios), highest: Math.max(...ratios) },
  }
}

/** Stops the process while it holds rows in a transaction. Tries until it succeeds. */
async function stopInTransaction(stage: Stage, other: Server): Promise<void> {
  const database = open(stage.databaseUrl, 1)
  const over = new AbortController()
  const minting = mintUntil(stage, other, over.signal)
  try {
    for (const end = performance.now() + CATCH_MS; performance.now() < end; await sleep(20)) {
      signal(other.pid, "SIGSTOP")
      await sleep(100)
      const held = await database`
        select from pg_stat_activity a
        where a.datname = current_database() and a.state = 'idle in transaction'
          and a.state_change < now() - interval '80 ms' and exists (
            select from pg_locks l where l.pid = a.pid and l.granted and l.mode in ('RowShareLock', 'RowExclusiveLock'))`
      if (held.length > 0) return
      signal(other.pid, "SIGCONT")
    }
    throw new Error("The other replica could not be stopped inside a transaction.")
  } finally {
    over.abort()
    await minting
    await database.end()
  }
}

/** Few mints at a time, which wait for the chain, so that no work is left for others when it ends. */
async function mintUntil({ customers }: Stage, { port }: Server, signal: AbortSignal): Promise<void> {
  const { apiKey, investors } = customers[0]!
  const mint = (user_pubkey: string) =>
    fetch(`http://127.0.0.1:${port}/v1/token/mint`, {
      method: "POST",
      headers: { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" },
      body: JSON.stringify({ user_pubkey, mint_config: "us_real_estate_fund_v1", amount: "0.000001" }),
      signal,
    })
  await Promise.all(
    investors.slice(0, MINTING).map(async (wallet) => {
      while (!signal.aborted)
        await mint(wallet).then(
          (response) => response.arrayBuffer(),
          () => {},
        )
    }),
  )
}
