import { setTimeout as sleep } from "node:timers/promises"
import type { Traffic } from "./load.ts"
import { cpuSeconds } from "./process-figures.ts"
import type { Server } from "./stage.ts"

const CONNECTIONS = 32
/** For each server before the first round: compiled code, warm caches. */
const FIRST_WARMUP_MS = 3000
/** Requests of each round. */
const WARMUP_MS = 500

type Round = { per_second: number; p50_ms: number; p99_ms: number; cpu_us: number | null }

export type Contest = {
  name: string
  contestants: {
    name: string
    rounds: Round[]
    per_second: number
    p99_ms: number
    cpu_us: number | null
    /** Relative to the baseline. */
    ratio: Ratio
  }[]
}

/**
 * Of the ratios within each round: both runs are close in time, so that changing load affects both. Medians of each
 * server alone may come from different rounds, with the machine in different states.
 */
export type Ratio = { median: number; lowest: number; highest: number }

export type ContestOptions = {
  name: string
  traffic: Traffic
  /** The first one is the baseline. */
  servers: readonly Server[]
  rounds: number
  measure_ms: number
  say: (line: string) => void
}

/** Puts servers under the same load alternately, A B B A …: one runs while the others are idle. */
export async function contest(options: ContestOptions): Promise<Contest> {
  const { name, traffic, servers, rounds, measure_ms, say } = options
  const measure = async (server: Server, warmup_ms: number, ms: number): Promise<Round> => {
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
      cpu_us: cpuBefore === null || cpuAfter === null ? null : ((cpuAfter - cpuBefore) / requests) * 1e6,
    }
  }

  say(`${name}: warming up`)
  for (const server of servers) await measure(server, 0, FIRST_WARMUP_MS)
  const results = servers.map((server) => ({ server, rounds: [] as Round[] }))
  for (let n = 1; n <= rounds; n++) {
    for (const { server, rounds: done } of n % 2 === 1 ? results : results.toReversed()) {
      // Work left over from the last run (checkpoints, vacuum, garbage) must not count for this one.
      await sleep(200)
      done.push(await measure(server, WARMUP_MS, measure_ms))
    }
    const rates = results.map(
      ({ server, rounds: done }) => `${server.name} ${Math.round(done.at(-1)!.per_second)}/s`,
    )
    say(`${name}: round ${n} of ${rounds}: ${rates.join(", ")}`)
  }
  return { name, contestants: summarise(results) }
}

function summarise(results: { server: Server; rounds: Round[] }[]): Contest["contestants"] {
  const rates = (rounds: Round[]) => rounds.map((round) => round.per_second)
  const baseline = rates(results[0]!.rounds)
  return results.map(({ server, rounds }) => {
    const pairs = rates(rounds).map((rate, n) => rate / baseline[n]!)
    const cpu = rounds.flatMap((round) => round.cpu_us ?? [])
    return {
      name: server.name,
      rounds,
      per_second: median(rates(rounds)),
      p99_ms: median(rounds.map((round) => round.p99_ms)),
      cpu_us: cpu.length > 0 ? median(cpu) : null,
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
