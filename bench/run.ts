import { parseArgs } from "node:util"
import { findValidator } from "#test/fixtures/validator.ts"
import {
  figuresOfContest,
  figuresOfMints,
  sentenceOf,
  steadily,
  worseThanCommitted,
  writeBaseline,
} from "./baseline.ts"
import { measureFairness } from "./fair.ts"
import { checkFairness } from "./fairness.ts"
import { measureFilters } from "./filters.ts"
import { measureMemory } from "./memory.ts"
import { measureMints } from "./mints.ts"
import { measureObserved } from "./observe.ts"
import { watchOtherLoad } from "./other-load.ts"
import { print, type Results } from "./print.ts"
import { contest } from "./rounds.ts"
import { FEW, measureSize } from "./size.ts"
import { createStage, type Server, type Stage } from "./stage.ts"
import { measureStoppedReplica } from "./stopped-replica.ts"
import { measureVerify } from "./verify.ts"

const HELP = `npm run bench -- [options]

Compares Vouch with a bare handler on this machine; see bench/README.md. Takes about eight minutes. Fails if processor
time is more than 25 % above what bench/baseline.json has.

  --only <names>       status, start, start-with-key, memory, mint, verify, fair, stopped, observe, size or table;
                       separate several with commas, or repeat the option
  --short              the main benchmarks in less than two minutes: short rounds, few attestations
  --write-baseline     write the measured processor times to bench/baseline.json
  --rounds <n>         rounds of each server (5)
  --seconds <n>        length of a round (5)
  --attestations <n>   rows in the database (100000)
  --durable            let commits wait for the disk, as in production
  --validator          mint and verify on a real validator (SOLANA_TEST_VALIDATOR, or on the PATH), slots of 400 ms
  --slow-signer        the server's keys take 200 ms per signature, as a key service may
  --naive              also measure GET /kyc/status the obvious way, through trpc-to-openapi's fetch handler
  --json               print the results as JSON
  --help`

const names = [
  "status",
  "start",
  "start-with-key",
  "memory",
  "mint",
  "verify",
  "fair",
  "stopped",
  "observe",
  "size",
  "table",
] as const
type Name = (typeof names)[number]

/** If other processes take more of the machine than this, they may be the reason for higher figures. */
const MOST_OTHER_LOAD = 0.1

/** Targets: requests per second and processor time per request, relative to the bare handler. */
const TARGETS = {
  status: { rate: 0.85, cpu: 1.25 },
  start: { rate: 0.75, cpu: 1.7 },
  "start-with-key": { rate: 0.75, cpu: 1.6 },
} as const

/** The default amounts, for a whole run and a short one. */
const WHOLE = {
  only: names as readonly Name[],
  rounds: 5,
  seconds: 5,
  attestations: 100_000,
  requests: 20_000,
  verifications: 100,
  first_warmup_ms: 3000,
}
const SHORT = {
  only: ["memory", "status", "start", "start-with-key", "mint", "verify"] as readonly Name[],
  rounds: 3,
  seconds: 1,
  attestations: 10_000,
  requests: 2000,
  verifications: 10,
  first_warmup_ms: 2000,
}

const CONTESTS = [
  { name: "status", title: "GET /kyc/status", traffic: "status" },
  { name: "start", title: "POST /kyc/start", traffic: "start" },
  { name: "start-with-key", title: "POST /kyc/start, Idempotency-Key", traffic: "start with key" },
] as const

type Opening = ReturnType<typeof createStage>
type Options = ReturnType<typeof readOptions>

function readOptions() {
  const { values } = parseArgs({
    options: {
      only: { type: "string", multiple: true },
      short: { type: "boolean", default: false },
      "write-baseline": { type: "boolean", default: false },
      rounds: { type: "string" },
      seconds: { type: "string" },
      attestations: { type: "string" },
      durable: { type: "boolean", default: false },
      validator: { type: "boolean", default: false },
      "slow-signer": { type: "boolean", default: false },
      naive: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  })
  const form = values.short ? SHORT : WHOLE
  const only = values.only?.flatMap((list) => list.split(",")) ?? (values.validator ? ["mint", "verify"] : form.only)
  const unknown = only.find((name) => !names.includes(name as Name))
  if (unknown !== undefined) throw new UsageError(`--only: unknown ${unknown}. Use ${names.join(", ")}.`)
  if (values.validator && only.some((name) => name !== "mint" && name !== "verify"))
    throw new UsageError("--validator: only mint and verify are measured on a validator.")
  const validator = values.validator ? findValidator() : null
  if (values.validator && validator === null)
    throw new UsageError("--validator: not found. Set SOLANA_TEST_VALIDATOR to the path of solana-test-validator.")
  return {
    ...values,
    validator,
    slowSigner: values["slow-signer"],
    ...form,
    only: new Set(only as Name[]),
    rounds: atLeastOne("rounds", values.rounds, form.rounds),
    seconds: atLeastOne("seconds", values.seconds, form.seconds),
    attestations: atLeastOne("attestations", values.attestations, form.attestations),
  }
}

class UsageError extends Error {}

function atLeastOne(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise
  if (!/^[1-9][0-9]{0,6}$/.test(text)) throw new UsageError(`--${name}: must be a whole number from 1.`)
  return Number(text)
}

const began = performance.now()
/** Progress goes to standard error, results to standard output. */
const say = (line: string) =>
  process.stderr.write(`${((performance.now() - began) / 1000).toFixed(0).padStart(4)} s  ${line}\n`)

/** `small` is a stage with few attestations, if `size` is measured. */
async function measure(stage: Stage, small: Opening | null, options: Options): Promise<Results> {
  const results: Results = {
    contests: [],
    memory: null,
    mints: null,
    verify: null,
    fair: [],
    stopped: null,
    observed: [],
    size: null,
    filters: [],
  }
  // Measured before a server uses part of the machine.
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
  // First, while the server's memory is as small as at its start.
  if (options.only.has("memory")) {
    say(`Memory: ${options.requests} requests of all kinds`)
    results.memory = await measureMemory(stage, vouch, options.requests)
  }
  await measureContests(stage, vouch, options, results)
  if (options.only.has("mint")) {
    const { rounds, first_warmup_ms } = options
    const how = { stage, vouch, rounds, measure_ms: options.seconds * 1000, first_warmup_ms, say }
    results.mints = await steadily(() => measureMints(how), options.validator ? () => ({}) : figuresOfMints, say)
  }
  if (options.only.has("verify")) {
    results.verify = await measureVerify({ stage, vouch, count: options.verifications, say })
  }
  if (options.only.has("stopped")) {
    const { rounds } = options
    results.stopped = await measureStoppedReplica({
      stage,
      vouch,
      rounds,
      measure_ms: options.seconds * 1000,
      say,
    })
  }
  if (options.only.has("observe")) {
    const { rounds } = options
    results.observed = await measureObserved({ stage, rounds, measure_ms: options.seconds * 1000, say })
  }
  await vouch.stop()
  if (options.only.has("fair")) {
    const { rounds } = options
    results.fair = await measureFairness({ stage, rounds, measure_ms: options.seconds * 1000, say })
  }
  return results
}

async function measureContests(stage: Stage, vouch: Server, options: Options, results: Results): Promise<void> {
  const wanted = CONTESTS.filter(({ name }) => options.only.has(name))
  if (wanted.length === 0) return
  const bare = await stage.bare()
  say("Comparing the responses and statements of both")
  await checkFairness(stage, bare, vouch)
  for (const { name, title, traffic } of wanted) {
    const servers: Server[] = [bare, vouch]
    if (options.naive && name === "status") servers.push(await stage.naive())
    const { rounds, first_warmup_ms } = options
    const how = { traffic, servers, rounds, measure_ms: options.seconds * 1000, first_warmup_ms, say }
    const done = await steadily(
      () => contest({ name: title, ...how }),
      (measured) => figuresOfContest(name, measured),
      say,
    )
    results.contests.push({ ...done, target: TARGETS[name].rate, cpuTarget: TARGETS[name].cpu })
  }
}

/** Compares processor time with the committed values, or writes new ones. Other processes took the share `otherLoad`. */
function judge({ contests, mints }: Results, options: Options, otherLoad: number | null): void {
  const figures = {
    ...Object.assign({}, ...contests.map((one) => figuresOfContest(nameOf(one.name), one))),
    ...(mints && figuresOfMints(mints)),
  }
  if (options["write-baseline"]) {
    writeBaseline(figures)
    return
  }
  const worse = worseThanCommitted(figures)
  if (worse.length === 0) return
  console.error(`\nWorse than bench/baseline.json by more than a quarter:\n${worse.map(sentenceOf).join("\n")}`)
  if (otherLoad !== null && otherLoad > MOST_OTHER_LOAD) {
    const percent = Math.round(otherLoad * 100)
    console.error(
      `Other processes took ${percent} % of the machine, so this is no failure. Repeat it on a quiet machine.`,
    )
  } else process.exitCode = 1
}

const nameOf = (title: string): Name => CONTESTS.find((one) => one.title === title)!.name

async function main(): Promise<void> {
  const options = readOptions()
  if (options.help) return console.log(HELP)
  const { open, stop } = createStage({ ...options, say })
  const small = options.only.has("size") ? createStage({ ...options, attestations: FEW, say }) : null
  const stopAll = () => Promise.all([stop(), small?.stop()])
  const otherLoad = watchOtherLoad()
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
    else print(results, options.validator !== null)
    if (options.validator === null) judge(results, options, otherLoad())
  } catch (error) {
    if (!interrupted) throw error
  } finally {
    await stopAll()
  }
  if (interrupted) process.exit(130)
}

main().then(
  () => process.exit(),
  (error: unknown) => {
    console.error(error instanceof UsageError ? `${error.message}\n\n${HELP}` : error)
    process.exit(1)
  },
)
