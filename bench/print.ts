import type { Fair } from "./fair.ts"
import type { FilterTimes } from "./filters.ts"
import type { Memory } from "./memory.ts"
import type { MintRow, Mints } from "./mints.ts"
import type { Observed } from "./observe.ts"
import type { Contest, Ratio } from "./rounds.ts"
import type { StoppedReplica } from "./stopped-replica.ts"
import { table } from "./table.ts"
import type { Verify } from "./verify.ts"

/** Ratios with a larger spread say little. */
const NOISY_SPREAD = 0.2
const TARGET_MB = 250
/**
 * Targets for minting: the ratio to plain, the rate, and how much later than the chain's own time a response may come.
 */
const MINT_RATIO = 12
/** On a validator, whose confirmations take longer. */
const VALIDATOR_MINT_RATIO = 8
/** From approval to verified, in confirmations of the chain. */
const VERIFY_CONFIRMATIONS = 2
const MINTS_PER_SECOND = 2000
const MINT_CPU_US = 450
const MINT_SLOTS = 1.5
/** Time and processor time of a mint with limits by investor, relative to one without. */
const LIMITS_RATIO = 1.1
/** The time of a mint during another customer's flood, relative to one without. */
const FAIR_RATIO = 2
/** A replica's remaining rate with a stopped replica. */
const BESIDE_RATIO = 0.8
/** Processor time of a request with metrics and traces, relative to one without. */
const OBSERVED_RATIO = 1.03
/** Rate of GET /kyc/status with many attestations, relative to few. */
const SIZE_RATIO = 0.9
/** For one page of attestations or sessions, with any filter. */
const FILTER_MS = 100

export type Results = {
  contests: (Contest & { target: number; cpuTarget: number | null })[]
  memory: Memory | null
  mints: Mints | null
  verify: Verify | null
  fair: Fair[]
  stopped: StoppedReplica | null
  observed: Observed[]
  size: Contest | null
  filters: FilterTimes[]
}

/** Prints the results as tables, each with its target. */
export function print(
  { contests, memory, mints, verify, fair, stopped, observed, size, filters }: Results,
  onValidator: boolean,
): void {
  const all = size ? [...contests, { ...size, target: SIZE_RATIO, cpuTarget: null }] : contests
  const rows = all.flatMap(({ name, target, cpuTarget, contestants }) =>
    contestants.map((one, n) => [
      n === 0 ? name : "",
      one.name,
      one.per_second.toFixed(0),
      one.p99_ms.toFixed(1),
      one.cpu_us === null ? "–" : one.cpu_us.toFixed(0),
      n === 0 ? "" : one.ratio.median.toFixed(2),
      n === 0 ? "" : `${one.ratio.lowest.toFixed(2)}–${one.ratio.highest.toFixed(2)}`,
      n === 0 || one.cpu_ratio === null ? "" : one.cpu_ratio.toFixed(2),
      n === 1 ? verdicts(one, target, cpuTarget) : "",
    ]),
  )
  const head = ["", "", "requests/s", "p99 ms", "CPU µs", "ratio", "spread", "CPU ratio", "target"]
  if (rows.length > 0) console.log(`\n${table(head, rows)}`)
  if (memory) {
    const { requests, start_mb, peak_mb, end_mb } = memory
    const figures = `start ${start_mb.toFixed(0)} MB, peak ${peak_mb.toFixed(0)} MB, end ${end_mb.toFixed(0)} MB`
    const met = verdict(peak_mb < TARGET_MB, `< ${TARGET_MB} MB`)
    console.log(`\nMemory over ${requests} requests: ${figures}  (${met})`)
  }
  if (mints) printMints(mints, onValidator ? VALIDATOR_MINT_RATIO : MINT_RATIO)
  if (verify) printVerify(verify)
  if (fair.length > 0) printFair(fair)
  if (stopped) printStoppedReplica(stopped)
  if (observed.length > 0) printObserved(observed)
  if (filters.length > 0) printFilters(filters)
}

function printStoppedReplica({ idle, stopped, ratio }: StoppedReplica): void {
  const lines = [
    ["POST /kyc/start", "with an idle replica", idle.per_second.toFixed(0), idle.p99_ms.toFixed(0), "", "", ""],
    [
      "",
      "with a stopped one",
      stopped.per_second.toFixed(0),
      stopped.p99_ms.toFixed(0),
      ratio.median.toFixed(2),
      `${ratio.lowest.toFixed(2)}–${ratio.highest.toFixed(2)}`,
      ratioVerdict(ratio, BESIDE_RATIO),
    ],
  ]
  console.log(`\n${table(["", "", "requests/s", "p99 ms", "ratio", "spread", "target"], lines)}`)
}

function printObserved(observed: readonly Observed[]): void {
  const lines = observed.flatMap((one) => {
    if (one === null) return []
    const ratio = ({ median, lowest, highest }: Ratio) => [
      median.toFixed(3),
      `${lowest.toFixed(3)}–${highest.toFixed(3)}`,
    ]
    return [
      [one.name, "plain, twice", one.plain_us.toFixed(1), ...ratio(one.same), ""],
      [
        "",
        "observed",
        one.observed_us.toFixed(1),
        ...ratio(one.ratio),
        verdict(one.ratio.median < OBSERVED_RATIO, `< ${OBSERVED_RATIO.toFixed(2)}`),
      ],
    ]
  })
  console.log(`\n${table(["", "", "CPU µs", "ratio", "of starts", "target"], lines)}`)
}

function printFilters(filters: readonly FilterTimes[]): void {
  const lines = filters.map(({ name, rows, p50_ms, p99_ms }, n) => [
    n === 0 ? "first page" : "",
    name,
    rows.toFixed(0),
    p50_ms.toFixed(1),
    p99_ms.toFixed(1),
    verdict(p99_ms < FILTER_MS, `< ${FILTER_MS} ms`),
  ])
  console.log(`\n${table(["", "filtered by", "rows", "p50 ms", "p99 ms", "target"], lines)}`)
}

function printFair(floods: readonly Fair[]): void {
  const lines = floods.map((flood, n) => [
    n === 0 ? "waiting mint" : "",
    flood.name,
    flood.flood_per_second.toFixed(0),
    flood.alone_p50_ms.toFixed(0),
    flood.flooded_p50_ms.toFixed(0),
    flood.alone_p99_ms.toFixed(0),
    flood.flooded_p99_ms.toFixed(0),
    flood.ratio.median.toFixed(2),
    `${flood.ratio.lowest.toFixed(2)}–${flood.ratio.highest.toFixed(2)}`,
    verdict(flood.ratio.median <= FAIR_RATIO, `≤ ${FAIR_RATIO.toFixed(2)}`),
  ])
  const head = ["", "", "flood/s", "p50 ms alone", "flooded", "p99 ms alone", "flooded", "ratio", "spread", "target"]
  console.log(`\n${table(head, lines)}`)
}

function printVerify({ p50_ms, p99_ms, chain_p50_ms, count }: Verify): void {
  const figures = `p50 ${p50_ms.toFixed(0)} ms, p99 ${p99_ms.toFixed(0)} ms over ${count}`
  const confirmations = p50_ms / chain_p50_ms
  const met = verdict(confirmations <= VERIFY_CONFIRMATIONS, `≤ ${VERIFY_CONFIRMATIONS} confirmations`)
  console.log(
    `\nFrom approval to verified: ${figures}; one confirmation takes ${chain_p50_ms.toFixed(0)} ms, so ${confirmations.toFixed(2)} of them  (${met})`,
  )
}

function printMints({ rows, limits, chain }: Mints, target: number): void {
  const answerWithin_ms = chain.p50_ms + MINT_SLOTS * chain.slot_ms
  const targets = (row: MintRow) => {
    if (row.name === "plain" || row.name.startsWith("limited")) return ""
    if (row.name === "waiting") return verdict(row.p50_ms <= answerWithin_ms, `p50 ≤ ${answerWithin_ms.toFixed(0)} ms`)
    const mark = verdict(row.per_second >= MINTS_PER_SECOND, `≥ ${MINTS_PER_SECOND}/s`)
    const cpu = row.cpu_us === null ? "" : `; ${verdict(row.cpu_us <= MINT_CPU_US, `CPU ≤ ${MINT_CPU_US} µs`)}`
    return `${ratioVerdict(row.ratio, target)}; ${mark}${cpu}`
  }
  const lines = rows.map((row, n) => [
    n === 0 ? "POST /token/mint" : "",
    row.name,
    row.per_second.toFixed(0),
    row.p50_ms.toFixed(1),
    row.p99_ms.toFixed(1),
    row.cpu_us === null ? "–" : row.cpu_us.toFixed(0),
    row.ratio.median.toFixed(2),
    `${row.ratio.lowest.toFixed(2)}–${row.ratio.highest.toFixed(2)}`,
    row.cpu_ratio === null ? "–" : row.cpu_ratio.toFixed(3),
    targets(row),
  ])
  const head = ["", "", "mints/s", "p50 ms", "p99 ms", "CPU µs", "ratio", "spread", "CPU ratio", "target"]
  console.log(`\n${table(head, lines)}`)
  const ofLimits = ({ median, lowest, highest }: Ratio) =>
    `${median.toFixed(3)} (${lowest.toFixed(3)}–${highest.toFixed(3)}), ${verdict(median <= LIMITS_RATIO, `≤ ${LIMITS_RATIO.toFixed(2)}`)}`
  const cpu = limits.cpu === null ? "" : `; CPU ${ofLimits(limits.cpu)}`
  console.log(`\nMints with limits by investor, relative to those without: p50 ${ofLimits(limits.time)}${cpu}`)
  const own = `p50 ${chain.p50_ms.toFixed(1)} ms, p99 ${chain.p99_ms.toFixed(1)} ms`
  console.log(`\nThe chain's own time from send to confirmed, slots of ${chain.slot_ms} ms: ${own}`)
  const taken = rows.flatMap(({ name, cores }) =>
    cores === null ? [] : [[name, ...Object.values(cores).map((share) => share.toFixed(2))]],
  )
  if (taken.length > 0) console.log(`\n${table(["Cores taken", "clients", "server", "database", "chain"], taken)}`)
}

const verdicts = (
  { ratio, cpu_ratio }: Contest["contestants"][number],
  target: number,
  cpuTarget: number | null,
): string => {
  const rate = ratioVerdict(ratio, target)
  if (cpu_ratio === null || cpuTarget === null) return rate
  return `${rate}; ${verdict(cpu_ratio <= cpuTarget, `CPU ≤ ${cpuTarget.toFixed(2)}`)}`
}

/** The verdict, which is "noisy" on a machine that is too busy. */
function ratioVerdict({ median, lowest, highest }: Ratio, target: number): string {
  const noisy = highest - lowest > NOISY_SPREAD * Math.max(1, median) ? ", noisy" : ""
  return verdict(median >= target, `≥ ${target.toFixed(2)}`) + noisy
}

const verdict = (met: boolean, target: string) => `${target} ${met ? "met" : "MISSED"}`
