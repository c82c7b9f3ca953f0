// `npm test` and `npm run test:all`. It runs on Node 20 with nothing installed, like setup.mjs.
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { DEBIAN_PACKAGES, hasPostgres15 } from "./postgres-15.mjs"
import { runVitest } from "./vitest-runs.mjs"

const HELP = `npm test                                                     what to run before every commit
npm run test:all                                             everything
npm run test:all -- --rest                                   only what npm test leaves out
npm test -- [--project <name>]... [files or other options]   some of it

  unit        rules, amounts, states and texts, without a server or database
  api         one part of the server each, with a real Postgres and the local network
  slow        the same in files that take longer: storms, faults, restores, processes
  postgres15  the main journey on Debian's Postgres 15 with TLS and behind PgBouncer, if both are installed
  chaos       whole deployments whose processes are killed and stopped
  cluster     a real Solana validator, if installed (SOLANA_TEST_VALIDATOR, or on the PATH)
  validator   some api files on such a validator; npm run cluster -- --server-tests runs all
  browser     pages, in Chromium

Files and other options go to Vitest, or to Playwright if browser is the only project.

With --second-attempt, a few failed tests run once more, one file at a time. At the end, the run names those that passed
only then: the test or its subject has a defect, but it need not hold up others.

With --within <minutes>, a step that would probably end later is left out and named, judged by how long the steps before
it took.`

/**
 * The steps, in order. `minutes` is the usual time on two quiet cores. `isMain` marks the steps of `npm test`.
 * @type {readonly { is: string, isMain: boolean, minutes: number, run: () => number }[]}
 */
const steps = [
  { is: "types", isMain: true, minutes: 0.5, run: () => run("tsc", []) },
  { is: "prose", isMain: true, minutes: 0.02, run: () => run("node", [join("scripts", "prose.mjs")]) },
  { is: "unit and API tests", isMain: true, minutes: 8, run: () => vitest(["unit", "api"]) },
  {
    is: "browser tests of the main journeys",
    isMain: true,
    minutes: 1.5,
    run: () => playwright(["--project", "journeys"]),
  },
  {
    is: "slow API tests, chaos, Postgres 15, cluster",
    isMain: false,
    minutes: 18,
    run: () => vitest(["slow", "postgres15", "chaos", "cluster"]),
  },
  {
    is: "all other browser tests",
    isMain: false,
    minutes: 10,
    run: () => playwright(["--project", "desktop"]),
  },
  {
    is: "browser tests on a phone",
    isMain: false,
    minutes: 4,
    run: () => playwright(["--project", "phone"]),
  },
  // A separate run, because its validator would slow down the others.
  { is: "API tests on a validator", isMain: false, minutes: 2, run: () => vitest(["validator"]) },
  { is: "clients", isMain: false, minutes: 3, run: () => run("npm", ["run", "--silent", "clients"]) },
  { is: "image", isMain: false, minutes: 3, run: () => run("npm", ["run", "--silent", "image"]) },
  // Last, when nothing else runs.
  {
    is: "short benchmark",
    isMain: false,
    minutes: 2,
    run: () => run("npm", ["run", "--silent", "bench", "--", "--short"]),
  },
]
const inVitest = ["unit", "api", "slow", "postgres15", "chaos", "cluster", "validator"]

const root = join(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "..")
/** @type {string[]} */
const projects = []
/** @type {string[]} */
const options = []
let hasSecondAttempt = false
let minutesLeft = Number.POSITIVE_INFINITY
/** @type {(step: { isMain: boolean }) => boolean} */
let isWanted = ({ isMain }) => isMain
for (let args = process.argv.slice(2); args.length > 0; ) {
  const arg = args.shift() ?? ""
  const [, inline] = /^--project(?:=(.+))?$/.exec(arg) ?? []
  if (arg === "--help") {
    console.log(HELP)
    process.exit(0)
  } else if (arg === "--second-attempt") hasSecondAttempt = true
  else if (arg === "--within") minutesLeft = Number(args.shift())
  else if (arg === "--all") isWanted = () => true
  else if (arg === "--rest") isWanted = ({ isMain }) => !isMain
  else if (arg === "--project" || inline !== undefined) projects.push(inline ?? args.shift() ?? "")
  else options.push(arg)
}
const unknown = projects.find((name) => name !== "browser" && !inVitest.includes(name))
if (unknown !== undefined || Number.isNaN(minutesLeft)) {
  const problem =
    unknown === undefined ? "--within needs a number of minutes." : `Unknown project ${JSON.stringify(unknown)}.`
  console.error(`${problem}\n\n${HELP}`)
  process.exit(2)
}

/** @type {string[]} */
const onlyThen = []
const status = projects.length + options.length > 0 ? runSome() : runSteps()
for (const test of onlyThen) console.log(`Passed only at the second attempt: ${test}`)
process.exit(status)

function runSteps() {
  const wanted = steps.filter(isWanted)
  const left = steps.filter((step) => !wanted.includes(step))
  const start = performance.now()
  console.log(`Runs ${listOf(wanted)}. This usually takes ${usually(wanted)} on two quiet cores.`)
  setUp("test")
  const minutesNow = () => (performance.now() - start) / 60_000
  /** @type {string[]} */
  const failed = []
  /** @type {{ is: string }[]} */
  const late = []
  let [spent, expected] = [0, 0]
  for (const [at, step] of wanted.entries()) {
    const { is, minutes, run } = step
    // A busy machine takes as many times longer as it did so far.
    const slowness = expected > 0 ? Math.max(1, spent / expected) : 1
    if (minutesNow() + minutes * slowness > minutesLeft) {
      late.push(step)
      continue
    }
    console.log(`\n[${at + 1}/${wanted.length}] ${is}, usually ${usually([{ minutes }])}`)
    const before = minutesNow()
    if (run() !== 0) failed.push(is)
    spent += minutesNow() - before
    expected += minutes
  }
  const took = `${Math.ceil(minutesNow())} min`
  if (late.length > 0) console.log(`\nNot run, for lack of time: ${listOf(late)}.`)
  console.log(failed.length > 0 ? `\nFailed after ${took}: ${failed.join("; ")}.` : `\nPassed in ${took}.`)
  if (left.length > 0 && left.every(({ isMain }) => !isMain)) {
    console.log(`Left out: ${listOf(left)}.`)
    console.log(`  npm run test:all -- --rest   runs these. This usually takes ${usually(left)}.`)
  }
  return failed.length > 0 ? 1 : 0
}

/** Runs the projects or files that are named. */
function runSome() {
  setUp(projects.length > 0 && projects.every((name) => name === "unit") ? "unit" : "test")
  const named = inVitest.filter((name) =>
    // Named files run on a validator only if requested.
    projects.length > 0 ? projects.includes(name) : name !== "validator",
  )
  // The validator has a separate run, because its start would slow down other tests.
  const runs = [named.filter((name) => name !== "validator"), named.filter((name) => name === "validator")]
  const results = runs.filter(({ length }) => length > 0).map((names) => vitest(names, options))
  if (projects.includes("browser")) results.push(playwright(projects.length === 1 ? options : []))
  return Math.max(...results)
}

/** @param {readonly { is: string }[]} list */
function listOf(list) {
  return list.map(({ is }) => is).join("; ")
}

/** @param {readonly { minutes: number }[]} list */
function usually(list) {
  const minutes = list.reduce((sum, one) => sum + one.minutes, 0)
  return minutes < 1 ? `${Math.round(minutes * 60)} s` : `${Math.round(minutes)} min`
}

/** @param {"unit" | "test"} purpose */
function setUp(purpose) {
  const failed = run(process.execPath, [join(root, "scripts", "setup.mjs"), purpose])
  if (failed !== 0) process.exit(failed)
}

/**
 * @param {string[]} names
 * @param {string[]} more
 */
function vitest(names, more = []) {
  const wanted = names.filter((name) => name !== "postgres15" || more.length > 0 || hasPostgres15())
  if (wanted.length < names.length)
    console.log(`Skipped: the tests on Postgres 15, which need Debian's packages ${DEBIAN_PACKAGES.join(", ")}.`)
  if (wanted.length === 0) return 0
  // Without a validator, no such tests exist.
  const none = names.includes("validator") ? ["--passWithNoTests"] : []
  const args = [...wanted.flatMap((name) => ["--project", name]), ...none, ...more]
  const { status, passedLate } = runVitest({ root, args, run, hasSecondAttempt })
  onlyThen.push(...passedLate)
  return status
}

/** @param {string[]} args */
function playwright(args) {
  // Playwright itself reports tests that pass only at the second attempt, as flaky.
  return run("playwright", ["test", ...(hasSecondAttempt ? ["--retries", "1"] : []), ...args])
}

/**
 * Returns the program's exit status. npm puts `node_modules/.bin` first in PATH, and with it Node 24.
 * @param {string} program
 * @param {string[]} args
 */
function run(program, args) {
  // A run starts hundreds of processes, and half of each start is compiling.
  const env = { NODE_COMPILE_CACHE: join(root, "node_modules", ".cache", "node"), ...process.env }
  const { status, signal, error } = spawnSync(program, args, { stdio: "inherit", cwd: root, env })
  if (error) throw error
  if (signal !== null) process.kill(process.pid, signal)
  return status ?? 1
}
