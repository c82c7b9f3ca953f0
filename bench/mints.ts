import { setTimeout as sleep } from "node:timers/promises"
import { open } from "#db/client.ts"
import { ask, type Child } from "./children.ts"
import type { Traffic } from "./load.ts"
import type { PlainOrder, PlainOutcome } from "./plain-mints.ts"
import { cpuSeconds, cpuSecondsOfFamily } from "./process-figures.ts"
import { median, type Ratio } from "./rounds.ts"
import type { Server, Stage } from "./stage.ts"
import { waitForIdle } from "./wait-for-idle.ts"
import { LIMITED } from "./wallets.ts"

const CLIENTS = 64
/** Warm-up before the first round: creates the mint and all wallets' accounts, compiles code. */
const FIRST_WARMUP_MS = 3000
/** Warm-up of the waiting requests in each round. */
const WARMUP_MS = 500
/** Transactions of each round that measure the chain's own time. */
const ALONE = 20
const DRAIN_MS = 120_000

const kinds = ["plain", "async", "limited async", "waiting", "limited waiting"] as const

/** `plain` is the baseline. `async` responds at once, `waiting` when the chain has confirmed. `limited`: the token has limits by investor. */
export type MintRow = {
  name: (typeof kinds)[number]
  per_second: number
  /** Latency of responses. */
  p50_ms: number
  p99_ms: number
  /** CPU time of the server process, per mint. */
  cpu_us: number | null
  /** Relative to the plain client, which signs and follows each transaction: the median of the rounds. */
  cpu_ratio: number | null
  cores: Cores | null
  ratio: Ratio
}

/** Cores that each process uses during the round; null if no process can be measured, or the chain has several. */
type Cores = { clients: number; server: number; database: number; chain: number }

export type Mints = {
  rows: MintRow[]
  /** What limits by investor cost: their time and processor time, relative to mints without. The median of the rounds. */
  limits: { time: Ratio; cpu: Ratio | null }
  /** The time from sending one transaction to its confirmation while nothing else runs. */
  chain: { p50_ms: number; p99_ms: number; slot_ms: number }
}

type Round = Omit<MintRow, "name" | "ratio" | "cpu_ratio">

/** Alternates between mints through HTTP and plain mints: one runs while the other is idle. */
export async function measureMints(options: {
  stage: Stage
  vouch: Server
  rounds: number
  measure_ms: number
  /** Warm-up of each kind of mint before the first round. */
  first_warmup_ms?: number
  say: (line: string) => void
}): Promise<Mints> {
  const { stage, vouch, rounds, measure_ms, first_warmup_ms = FIRST_WARMUP_MS, say } = options
  const plain = await stage.plainMints()
  const database = open(stage.databaseUrl, 1)
  try {
    say("POST /token/mint: warming up")
    await mintPlainly(plain, { clients: CLIENTS, measure_ms: first_warmup_ms })
    await createLimited()
    await mintAsync(first_warmup_ms)
    await mintAsync(first_warmup_ms, "mint limited async")
    await mintWaiting(first_warmup_ms)
    const done = Object.fromEntries(kinds.map((kind) => [kind, []])) as unknown as Record<MintRow["name"], Round[]>
    const alone: number[] = []
    for (let n = 1; n <= rounds; n++) {
      await sleep(200)
      alone.push(...(await ask<PlainOrder, PlainOutcome>(plain, { alone: ALONE })).times_ms)
      done.plain.push(await mintPlainly(plain, { clients: CLIENTS, measure_ms }))
      await sleep(200)
      const pairs = [
        ["async", () => mintAsync(measure_ms)],
        ["limited async", () => mintAsync(measure_ms, "mint limited async")],
        ["waiting", () => mintWaiting(measure_ms)],
        ["limited waiting", () => mintWaiting(measure_ms, "mint limited")],
      ] as const
      // Each pair in both orders, because the second may profit from the first.
      for (const [kind, measure] of n % 2 === 0 ? pairs : [pairs[1], pairs[0], pairs[3], pairs[2]]) {
        done[kind].push(await measure())
        await sleep(200)
      }
      const rates = Object.entries(done).map(([name, all]) => `${name} ${Math.round(all.at(-1)!.per_second)}/s`)
      say(`POST /token/mint: round ${n} of ${rounds}: ${rates.join(", ")}`)
    }
    alone.sort((a, b) => a - b)
    return {
      rows: kinds.map((name) => summarise(name, done[name], done.plain)),
      limits: {
        time: ratioOf(done["limited waiting"], done.waiting, ({ p50_ms }) => p50_ms),
        cpu: done.async.some(({ cpu_us }) => cpu_us === null)
          ? null
          : ratioOf(done["limited async"], done.async, ({ cpu_us }) => cpu_us!),
      },
      chain: { p50_ms: quantile(alone, 0.5), p99_ms: quantile(alone, 0.99), slot_ms: stage.slotMs },
    }
  } finally {
    await database.end()
  }

  async function mintPlainly(child: Child, order: PlainOrder): Promise<Round> {
    const before = cpuSeconds(child.pid)
    const cores = metered()
    const { mints, seconds, times_ms } = await ask<PlainOrder, PlainOutcome>(child, order)
    times_ms.sort((a, b) => a - b)
    return {
      per_second: mints / seconds,
      p50_ms: quantile(times_ms, 0.5),
      p99_ms: quantile(times_ms, 0.99),
      cpu_us: perMint(before, cpuSeconds(child.pid), mints),
      cores: cores(),
    }
  }

  /** The token whose rules count investors, with limits that no mint reaches. */
  async function createLimited(): Promise<void> {
    const rules = { max_investors: 1_000_000, max_balance_per_investor: "1000000000" }
    const token = {
      id: LIMITED,
      name: "Limited Fund",
      symbol: "LIM",
      decimals: 6,
      required_schema: "kyc_individual_v1",
    }
    const response = await fetch(`http://127.0.0.1:${vouch.port}/v1/mint-configs`, {
      method: "POST",
      headers: { authorization: `Bearer ${stage.customers[0]!.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ ...token, rules }),
    })
    if (![200, 409].includes(response.status)) throw new Error(`mint-configs answered ${response.status}`)
  }

  /** Counts everything that was accepted, over the time from the first request to the last confirmation. */
  async function mintAsync(ms: number, traffic: Traffic = "mint async"): Promise<Round> {
    const before = await confirmed()
    const cpuBefore = cpuSeconds(vouch.pid)
    const cores = metered()
    const begin = performance.now()
    const { answers, p50_ms, p99_ms } = await request(traffic, { warmup_ms: 0, measure_ms: ms })
    await waitForIdle(database, ms + DRAIN_MS)
    const seconds = (performance.now() - begin) / 1000
    const mints = (await confirmed()) - before
    if (mints !== answers) throw new Error(`${answers} mints were accepted, but ${mints} confirmed`)
    const cpu_us = perMint(cpuBefore, cpuSeconds(vouch.pid), mints)
    return { per_second: mints / seconds, p50_ms, p99_ms, cpu_us, cores: cores() }
  }

  async function mintWaiting(ms: number, traffic: Traffic = "mint"): Promise<Round> {
    const cpuBefore = cpuSeconds(vouch.pid)
    const cores = metered()
    const { answers, seconds, p50_ms, p99_ms } = await request(traffic, {
      warmup_ms: WARMUP_MS,
      measure_ms: ms,
    })
    const all = answers * ((seconds + WARMUP_MS / 1000) / seconds)
    const cpu_us = perMint(cpuBefore, cpuSeconds(vouch.pid), all)
    return { per_second: answers / seconds, p50_ms, p99_ms, cpu_us, cores: cores() }
  }

  /** Starts counting. The returned function ends it. */
  function metered(): () => Cores | null {
    const { chain, database: postgres, load } = stage.pids
    const read = () => [
      (cpuSeconds(plain.pid) ?? 0) + (cpuSeconds(load) ?? 0),
      cpuSeconds(vouch.pid),
      cpuSecondsOfFamily(postgres),
      chain && cpuSeconds(chain),
    ]
    const before = read()
    const begin = performance.now()
    return () => {
      const seconds = (performance.now() - begin) / 1000
      const taken = read().map((now, n) => (now === null ? null : (now - (before[n] ?? 0)) / seconds))
      const [clients, server, database, ofChain] = taken
      if (clients == null || server == null || database == null || ofChain == null) return null
      return { clients, server, database, chain: ofChain }
    }
  }

  async function request(traffic: Traffic, { warmup_ms, measure_ms }: { warmup_ms: number; measure_ms: number }) {
    const order = { port: vouch.port, traffic, connections: CLIENTS, warmup_ms, until: { measure_ms } }
    const outcome = await stage.load(order)
    const wrong = Object.entries(outcome.unexpected)
    if (wrong.length > 0) {
      throw new Error(`${vouch.name} answered ${wrong.map(([status, n]) => `${n} × ${status}`).join(", ")}`)
    }
    return outcome
  }

  async function confirmed(): Promise<number> {
    const [row] = await database<{ count: number }[]>`
      select count(*)::int from operations where kind = 'mint' and status = 'confirmed'`
    return row!.count
  }
}

const quantile = (sorted: readonly number[], q: number) => sorted[Math.floor(q * (sorted.length - 1))] ?? 0

const perMint = (before: number | null, after: number | null, mints: number) =>
  before === null || after === null ? null : ((after - before) / mints) * 1e6

function summarise(name: MintRow["name"], rounds: readonly Round[], plain: readonly Round[]): MintRow {
  const pairs = rounds.map((round, n) => round.per_second / plain[n]!.per_second)
  const cpuPairs = rounds.map(({ cpu_us }, n) => (cpu_us ?? Number.NaN) / (plain[n]!.cpu_us ?? Number.NaN))
  const isCpuKnown = cpuPairs.every((ratio) => !Number.isNaN(ratio))
  const of = (figure: (round: Round) => number) => median(rounds.map(figure))
  return {
    name,
    per_second: of((round) => round.per_second),
    p50_ms: of((round) => round.p50_ms),
    p99_ms: of((round) => round.p99_ms),
    cpu_us: rounds.some((round) => round.cpu_us === null) ? null : of((round) => round.cpu_us!),
    cpu_ratio: isCpuKnown ? median(cpuPairs) : null,
    cores: coresOf(rounds.flatMap(({ cores }) => cores ?? [])),
    ratio: { median: median(pairs), lowest: Math.min(...pairs), highest: Math.max(...pairs) },
  }
}

/** A figure of each round relative to that of the same round without limits. */
function ratioOf(limited: readonly Round[], without: readonly Round[], figure: (round: Round) => number): Ratio {
  const pairs = limited.map((round, n) => figure(round) / figure(without[n]!))
  return { median: median(pairs), lowest: Math.min(...pairs), highest: Math.max(...pairs) }
}

function coresOf(rounds: readonly Cores[]): Cores | null {
  if (rounds.length === 0) return null
  const of = (name: keyof Cores) => median(rounds.map((cores) => cores[name]))
  return { clients: of("clients"), server: of("server"), database: of("database"), chain: of("chain") }
}
