import { setTimeout as sleep } from "node:timers/promises"
import type { Traffic } from "./load.ts"
import { cpuSeconds } from "./process-figures.ts"
import type { Server } from "./stage.ts"

const CONNECTIONS = 32
/** Warm-up of each server before the first round: compiles code, fills caches. */
const FIRST_WARMUP_MS = 3000
/** Requests of each round. */
const WARMUP_MS = 500
/** How long idle servers are measured. */
const IDLE_MS = 2000

type Round = { per_second: number; p50_ms: number; p99_ms: number; cpu_us: number | null }
/** The cost of a round. `cpu_us` can be computed only when the idle server's processor time is known. */
type Taken = Omit<Round, "cpu_us"> & { cpu_seconds: number | null; seconds: number; requests: number }

export type Contest = {
  name: string
  contestants: {
    name: string
    rounds: Round[]
    per_second: number
    p99_ms: number
    cpu_us: number | null
    /** Its processor time per request relative to the baseline's: the median of the rounds. */
    cpu_ratio: number | null
    /** Its rate relative to the baseline's. */
    ratio: Ratio
  }[]
}

/**
 * Statistics of the ratios within each round, whose two runs are close in time, so that changing load affects both.
 * Medians of each server may come from different rounds, with the machine in different states.
 */
export type Ratio = { median: number; lowest: number; highest: number }

export type ContestOptions = {
  name: string
  traffic: Traffic
  /** The first one is the baseline. */
  servers: readonly Server[]
  rounds: number
  measure_ms: number
  /** Warm-up of each server before the first round. */
  first_warmup_ms?: number
  say: (line: string) => void
}

/** Puts servers under the same load alternately, A B B A …: one runs while the others are idle. */
export async function contest(options: ContestOptions): Promise<Contest> {
  const { name, traffic, servers, rounds, measure_ms, first_warmup_ms = FIRST_WARMUP_MS, say } = options
  const measure = async (server: Server, warmup_ms: number, ms: number): Promise<Taken> => {
    const order = { traffic, connections: CONNECTIONS, warmup_ms }
    const cpuBefore = cpuSeconds(server.pid)
    const outcome = await server.load({ ...order, until: { measure_ms: ms } })
    const cpuAfter = cpuSeconds(server.pid)
    const wrong = Object.entries(outcome.unexpected)
    if (wrong.length > 0) {
      throw new Error(`${server.name} answered ${wrong.map(([status, n]) => `${n} × ${status}`).join(", ")}`)
    }
    // The warm-up's requests cost as much as the others, and the CPU time includes both, so count both.
    const requests = outcome.answers * ((outcome.seconds + warmup_ms / 1000) / outcome.seconds)
    return {
      per_second: outcome.answers / outcome.seconds,
      p50_ms: outcome.p50_ms,
      p99_ms: outcome.p99_ms,
      cpu_seconds: cpuBefore === null || cpuAfter === null ? null : cpuAfter - cpuBefore,
      seconds: outcome.seconds + warmup_ms / 1000,
      requests,
    }
  }

  say(`${name}: warming up`)
  for (const server of servers) await measure(server, 0, first_warmup_ms)
  const results = servers.map((server) => ({ server, taken: [] as Taken[] }))
  const idle = await idleShares(servers)
  for (let n = 1; n <= rounds; n++) {
    for (const { server, taken } of n % 2 === 1 ? results : results.toReversed()) {
      // Work left by the previous server (checkpoints, vacuum, garbage) must not count for this one.
      await sleep(200)
      taken.push(await measure(server, WARMUP_MS, measure_ms))
    }
    const rates = results.map(({ server, taken }) => `${server.name} ${Math.round(taken.at(-1)!.per_second)}/s`)
    say(`${name}: round ${n} of ${rounds}: ${rates.join(", ")}`)
  }
  const done = results.map(({ server, taken }, n) => ({
    server,
    rounds: taken.map((round) => toRound(round, idle[n]!)),
  }))
  return { name, contestants: summarise(done) }
}

/**
 * Returns the processor time per second that each server takes while nothing is under load. The benchmark must not
 * measure this during another server's rounds: Vouch's worker also numbers the events of the bare handler's requests.
 */
async function idleShares(servers: readonly Server[]): Promise<number[]> {
  await sleep(200)
  const before = servers.map(({ pid }) => cpuSeconds(pid) ?? 0)
  await sleep(IDLE_MS)
  return servers.map(({ pid }, n) => ((cpuSeconds(pid) ?? 0) - before[n]!) / (IDLE_MS / 1000))
}

/** Subtracts the workers' idle time, which no request causes and which would count for more with fewer requests. */
const toRound = ({ cpu_seconds, seconds, requests, ...round }: Taken, idle: number): Round => ({
  ...round,
  cpu_us: cpu_seconds === null ? null : ((cpu_seconds - idle * seconds) / requests) * 1e6,
})

function summarise(results: { server: Server; rounds: Round[] }[]): Contest["contestants"] {
  const rates = (rounds: Round[]) => rounds.map((round) => round.per_second)
  const baseline = rates(results[0]!.rounds)
  return results.map(({ server, rounds }) => {
    const pairs = rates(rounds).map((rate, n) => rate / baseline[n]!)
    const cpu = rounds.flatMap((round) => round.cpu_us ?? [])
    const cpuPairs = rounds.flatMap(({ cpu_us }, n) => {
      const other = results[0]!.rounds[n]!.cpu_us
      return cpu_us === null || other === null ? [] : [cpu_us / other]
    })
    return {
      name: server.name,
      rounds,
      per_second: median(rates(rounds)),
      p99_ms: median(rounds.map((round) => round.p99_ms)),
      cpu_us: cpu.length > 0 ? median(cpu) : null,
      cpu_ratio: cpuPairs.length > 0 ? median(cpuPairs) : null,
      ratio: {
        median: median(pairs),
        lowest: Math.min(...pairs),
        highest: Math.max(...pairs),
      },
    }
  })
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
