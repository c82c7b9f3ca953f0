import { parseArgs } from "node:util"
import { type Beside, measureBeside } from "./beside.ts"
import { type Fair, measureFairness } from "./fair.ts"
import { checkFairness } from "./fairness.ts"
import { type FilterTimes, measureFilters } from "./filters.ts"
import { type Memory, measureMemory } from "./memory.ts"
import { type MintRow, type Mints, measureMints } from "./mints.ts"
import { type Contest, contest, type Ratio } from "./rounds.ts"
import { FEW, measureSize } from "./size.ts"
import { createStage, type Server, type Stage } from "./stage.ts"
import { table } from "./table.ts"

const HELP = `npm run bench -- [options]

Compares Vouch with a bare handler on this machine; see bench/README.md. Takes about eight minutes.

  --only <name>        status, start, start-with-key, memory, mint, fair, beside, size or table; may be given several times
  --rounds <n>         rounds of each server (5)
  --seconds <n>        length of a round (5)
  --attestations <n>   rows in the database (100000)
  --durable            let commits wait for the disk, as in production
  --slow-signer        the server's keys take 200 ms for each answer, as those of a service may
  --naive              also measure GET /kyc/status the obvious way, through trpc-to-openapi's fetch handler
  --json               print the results as JSON
  --help`

const names = [
  "status",
  "start",
  "start-with-key",
  "memory",
  "mint",
  "fair",
  "beside",
  "size",
  "table",
] as const
type Name = (typeof names)[number]

/** What is promised: requests per second against the bare handler's, and megabytes over so many requests. */
const TARGETS = { status: 0.8, start: 0.7, "start-with-key": 0.7 } as const
/** Spread of the ratios from which on they say little. */
const NOISY_SPREAD = 0.2
const TARGET_MB = 350
const MEMORY_REQUESTS = 20_000
/** Of minting: against the plain way, per second, and how much later than the chain's own time an answer may come. */
const MINT_RATIO = 5
const MINTS_PER_SECOND = 1000
const MINT_SLOTS = 2
/** How much longer a mint may take while another customer floods. */
const FAIR_RATIO = 2
/** What is left of a replica's rate beside a stopped one. */
const BESIDE_RATIO = 0.8
/** What is left of the rate of GET /kyc/status with many attestations, against few. */
const SIZE_RATIO = 0.9
/** For the first page of the dashboard's table, with any filter. */
const FILTER_MS = 100

const CONTESTS = [
  { name: "status", title: "GET /kyc/status", traffic: "status" },
  { name: "start", title: "POST /kyc/start", traffic: "start" },
  { name: "start-with-key", title: "POST /kyc/start, Idempotency-Key", traffic: "start with key" },
] as const

type Opening = ReturnType<typeof createStage>
type Options = ReturnType<typeof readOptions>
type Results = {
  contests: (Contest & { target: number })[]
  memory: Memory | null
  mints: Mints | null
  fair: Fair[]
  beside: Beside | null
  size: Contest | null
  filters: FilterTimes[]
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      only: { type: "string", multiple: true },
      rounds: { type: "string", default: "5" },
      seconds: { type: "string", default: "5" },
      attestations: { type: "string", default: "100000" },
      durable: { type: "boolean", default: false },
      "slow-signer": { type: "boolean", default: false },
      naive: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  })
  const only = values.only ?? [...names]
  const unknown = only.find((name) => !names.includes(name as Name))
  if (unknown !== undefined) throw new UsageError(`--only: unknown ${unknown}. Use ${names.join(", ")}.`)
  return {
    ...values,
    slowSigner: values["slow-signer"],
    only: new Set(only as Name[]),
    rounds: atLeastOne("rounds", values.rounds),
    seconds: atLeastOne("seconds", values.seconds),
    attestations: atLeastOne("attestations", values.attestations),
  }
}

class UsageError extends Error {}

function atLeastOne(name: string, text: string): number {
  if (!/^[1-9][0-9]{0,6}$/.test(text)) throw new UsageError(`--${name}: must be a whole number from 1.`)
  return Number(text)
}

const began = performance.now()
/** Progress goes to standard error: standard output belongs to the results. */
const say = (line: string) =>
  process.stderr.write(`${((performance.now() - began) / 1000).toFixed(0).padStart(4)} s  ${line}\n`)

/** `small` is a stage with few attestations, where that is measured too. */
async function measure(stage: Stage, small: Opening | null, options: Options): Promise<Results> {
  const results: Results = {
    contests: [],
    memory: null,
    mints: null,
    fair: [],
    beside: null,
    size: null,
    filters: [],
  }
  // Before a server is there to take its share of the machine.
  if (options.only.has("table")) {
    const { databaseUrl } = stage
    results.filters = await measureFilters({ databaseUrl, attestations: options.attestations, say })
    if (options.only.size === 1) return results
  }
  if (small) {
    const { rounds } = options
    const few = await small.open()
    results.size = await measureSize({ few, many: stage, rounds, measure_ms: options.seconds * 1000, say })
    await small.stop()
    if (options.only.size === 1) return results
  }
  const vouch = await stage.vouch()
  // First, while it is as small as it was started.
  if (options.only.has("memory")) {
    say(`Memory: ${MEMORY_REQUESTS} requests of all kinds`)
    results.memory = await measureMemory(stage, vouch, MEMORY_REQUESTS)
  }
  await measureContests(stage, vouch, options, results)
  if (options.only.has("mint")) {
    const { rounds } = options
    results.mints = await measureMints({ stage, vouch, rounds, measure_ms: options.seconds * 1000, say })
  }
  if (options.only.has("beside")) {
    const { rounds } = options
    results.beside = await measureBeside({ stage, vouch, rounds, measure_ms: options.seconds * 1000, say })
  }
  await vouch.stop()
  if (options.only.has("fair")) {
    const { rounds } = options
    results.fair = await measureFairness({ stage, rounds, measure_ms: options.seconds * 1000, say })
  }
  return results
}

async function measureContests(
  stage: Stage,
  vouch: Server,
  options: Options,
  results: Results,
): Promise<void> {
  const wanted = CONTESTS.filter(({ name }) => options.only.has(name))
  if (wanted.length === 0) return
  const bare = await stage.bare()
  say("Comparing answers and statements of both")
  await checkFairness(stage, bare, vouch)
  for (const { name, title, traffic } of wanted) {
    const servers: Server[] = [bare, vouch]
    if (options.naive && name === "status") servers.push(await stage.naive())
    const { rounds } = options
    const measure_ms = options.seconds * 1000
    const done = await contest({ name: title, traffic, servers, rounds, measure_ms, say })
    results.contests.push({ ...done, target: TARGETS[name] })
  }
}

function print({ contests, memory, mints, fair, beside, size, filters }: Results): void {
  const all = size ? [...contests, { ...size, target: SIZE_RATIO }] : contests
  const rows = all.flatMap(({ name, target, contestants }) =>
    contestants.map((one, n) => [
      n === 0 ? name : "",
      one.name,
      one.per_second.toFixed(0),
      one.p99_ms.toFixed(1),
      one.cpu_us === null ? "–" : one.cpu_us.toFixed(0),
      n === 0 ? "" : one.ratio.median.toFixed(2),
      n === 0 ? "" : `${one.ratio.lowest.toFixed(2)}–${one.ratio.highest.toFixed(2)}`,
      n === 1 ? ratioVerdict(one.ratio, target) : "",
    ]),
  )
  const head = ["", "", "requests/s", "p99 ms", "CPU µs", "ratio", "spread", "target"]
  if (rows.length > 0) console.log(`\n${table(head, rows)}`)
  if (memory) {
    const { start_mb, peak_mb, end_mb } = memory
    const figures = `start ${start_mb.toFixed(0)} MB, peak ${peak_mb.toFixed(0)} MB, end ${end_mb.toFixed(0)} MB`
    const met = verdict(peak_mb < TARGET_MB, `< ${TARGET_MB} MB`)
    console.log(`\nMemory over ${MEMORY_REQUESTS} requests: ${figures}  (${met})`)
  }
  if (mints) printMints(mints)
  if (fair.length > 0) printFair(fair)
  if (beside) printBeside(beside)
  if (filters.length > 0) printFilters(filters)
}

function printBeside({ idle, stopped, ratio }: Beside): void {
  const lines = [
    [
      "POST /kyc/start",
      "beside an idle replica",
      idle.per_second.toFixed(0),
      idle.p99_ms.toFixed(0),
      "",
      "",
      "",
    ],
    [
      "",
      "beside a stopped one",
      stopped.per_second.toFixed(0),
      stopped.p99_ms.toFixed(0),
      ratio.median.toFixed(2),
      `${ratio.lowest.toFixed(2)}–${ratio.highest.toFixed(2)}`,
      ratioVerdict(ratio, BESIDE_RATIO),
    ],
  ]
  console.log(`\n${table(["", "", "requests/s", "p99 ms", "ratio", "spread", "target"], lines)}`)
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
  const head = [
    "",
    "",
    "flood/s",
    "p50 ms alone",
    "flooded",
    "p99 ms alone",
    "flooded",
    "ratio",
    "spread",
    "target",
  ]
  console.log(`\n${table(head, lines)}`)
}

function printMints({ rows, chain }: Mints): void {
  const answerWithin_ms = chain.p50_ms + MINT_SLOTS * chain.slot_ms
  const targets = (row: MintRow) => {
    if (row.name === "plain") return ""
    if (row.name === "waiting")
      return verdict(row.p50_ms <= answerWithin_ms, `p50 ≤ ${answerWithin_ms.toFixed(0)} ms`)
    const mark = verdict(row.per_second >= MINTS_PER_SECOND, `≥ ${MINTS_PER_SECOND}/s`)
    return `${ratioVerdict(row.ratio, MINT_RATIO)}; ${mark}`
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
    targets(row),
  ])
  const head = ["", "", "mints/s", "p50 ms", "p99 ms", "CPU µs", "ratio", "spread", "target"]
  console.log(`\n${table(head, lines)}`)
  const own = `p50 ${chain.p50_ms.toFixed(1)} ms, p99 ${chain.p99_ms.toFixed(1)} ms`
  console.log(`\nThe chain's own time from send to confirmed, slots of ${chain.slot_ms} ms: ${own}`)
}

/** A machine that is busy with other things gives no answer, and the result says so. */
function ratioVerdict({ median, lowest, highest }: Ratio, target: number): string {
  const noisy = highest - lowest > NOISY_SPREAD * Math.max(1, median) ? ", noisy" : ""
  return verdict(median >= target, `≥ ${target.toFixed(2)}`) + noisy
}

const verdict = (met: boolean, target: string) => `${target} ${met ? "met" : "MISSED"}`

async function main(): Promise<void> {
  const options = readOptions()
  if (options.help) return console.log(HELP)
  const { open, stop } = createStage({ ...options, say })
  const small = options.only.has("size") ? createStage({ ...options, attestations: FEW, say }) : null
  const stopAll = () => Promise.all([stop(), small?.stop()])
  let interrupted = false
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      interrupted = true
      say("Stopping")
      stopAll().finally(() => process.exit(130))
    })
  }
  try {
    const results = await measure(await open(), small, options)
    if (options.json) console.log(JSON.stringify(results, null, 2))
    else print(results)
  } catch (error) {
    if (!interrupted) throw error
  } finally {
    await stopAll()
  }
  if (interrupted) process.exit(130)
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error instanceof UsageError ? `${error.message}\n\n${HELP}` : error)
    process.exit(1)
  },
)
