import { setTimeout as sleep } from "node:timers/promises"
import { open } from "#db/client.ts"
import type { LoadResult, Order } from "./load.ts"
import { median, type Ratio } from "./rounds.ts"
import type { Server, Stage } from "./stage.ts"
import { waitForIdle } from "./wait-for-idle.ts"

/** The default of `VOUCH_RATE_LIMIT`. */
const DEFAULT_RATE = 100
const FLOOD_CLIENTS = 32
const FLOODING = 0
const WAITING = 1
/** Warm-up before the measurement: creates mints and accounts, compiles code. */
const FIRST_WARMUP_MS = 3000
/** Time for the flood to build up before the other customer's mints are timed. */
const BUILD_UP_MS = 1000
const DRAIN_MS = 120_000

/** The time of a customer's waiting mint, alone and during another customer's flood. */
export type Fair = {
  name: string
  alone_p50_ms: number
  flooded_p50_ms: number
  alone_p99_ms: number
  flooded_p99_ms: number
  /** The flooding customer's requests per second during that time, and the number refused. */
  flood_per_second: number
  refused: number
  ratio: Ratio
}

type Round = { alone: LoadResult; flooded: LoadResult; flood: LoadResult }

/** Both floods: one without a rate limit, and one from a key that exceeds its limit. */
export async function measureFairness(options: {
  stage: Stage
  rounds: number
  measure_ms: number
  say: (line: string) => void
}): Promise<Fair[]> {
  const floods = [
    { name: "no rate limit", rateLimit: 0 },
    { name: `${DEFAULT_RATE}/s for each key`, rateLimit: DEFAULT_RATE },
  ]
  const done: Fair[] = []
  for (const { name, rateLimit } of floods) {
    const vouch = await options.stage.vouch({ rateLimit })
    done.push(await measureFlood({ ...options, vouch, name }))
    await vouch.stop()
  }
  return done
}

async function measureFlood(options: {
  stage: Stage
  vouch: Server
  name: string
  rounds: number
  measure_ms: number
  say: (line: string) => void
}): Promise<Fair> {
  const { stage, vouch, name, rounds, measure_ms, say } = options
  const { port } = vouch
  const database = open(stage.databaseUrl, 1)
  const waiting: Order = {
    port,
    traffic: "mint",
    customer: WAITING,
    connections: 1,
    warmup_ms: 500,
    until: { measure_ms },
  }
  try {
    say(`A waiting mint during a flood, ${name}: warming up`)
    await stage.load({ ...waiting, until: { measure_ms: FIRST_WARMUP_MS } })
    const done: Round[] = []
    for (let n = 1; n <= rounds; n++) {
      const alone = await stage.load(waiting)
      const flood = stage.loadBeside({
        port,
        traffic: "mint async",
        customer: FLOODING,
        connections: FLOOD_CLIENTS,
        warmup_ms: 0,
        until: { measure_ms: BUILD_UP_MS + waiting.warmup_ms + measure_ms },
      })
      await sleep(BUILD_UP_MS)
      const flooded = await stage.load(waiting)
      done.push({ alone, flooded, flood: await flood })
      say(
        `A waiting mint, ${name}: round ${n} of ${rounds}: ${alone.p50_ms.toFixed(0)} ms alone, ${flooded.p50_ms.toFixed(0)} ms during ${(done.at(-1)!.flood.answers / done.at(-1)!.flood.seconds).toFixed(0)}/s`,
      )
      await waitForIdle(database, DRAIN_MS)
    }
    return summarise(name, done)
  } finally {
    await database.end()
  }
}

function summarise(name: string, rounds: readonly Round[]): Fair {
  const pairs = rounds.map(({ alone, flooded }) => flooded.p50_ms / alone.p50_ms)
  const of = (figure: (round: Round) => number) => median(rounds.map(figure))
  return {
    name,
    alone_p50_ms: of(({ alone }) => alone.p50_ms),
    flooded_p50_ms: of(({ flooded }) => flooded.p50_ms),
    alone_p99_ms: of(({ alone }) => alone.p99_ms),
    flooded_p99_ms: of(({ flooded }) => flooded.p99_ms),
    flood_per_second: of(({ flood }) => flood.answers / flood.seconds),
    refused: rounds.reduce((sum, { flood }) => sum + (flood.unexpected["429"] ?? 0), 0),
    ratio: { median: median(pairs), lowest: Math.min(...pairs), highest: Math.max(...pairs) },
  }
}
