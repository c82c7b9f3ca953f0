// `npm test`: everything, or the projects that are named. It runs on Node 20 with nothing installed, like setup.mjs.
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { DEBIAN_PACKAGES, hasPostgres15 } from "./postgres-15.mjs"

const HELP = `npm test -- [--project <name>]... [--second-attempt] [files]

  unit      no server and no database: rules, amounts, states, words
  api       one part each, against a real Postgres and the local network
  postgres15  the main journey on Debian's Postgres 15 with TLS, and behind PgBouncer, where both are installed
  chaos     whole deployments, of which processes are killed and stopped
  cluster   a real Solana validator, where there is one (SOLANA_TEST_VALIDATOR, or on the PATH)
  validator some of api on such a validator; all of them by npm run cluster -- --server-tests
  browser   pages, in Chromium

Without a project, all of them in this order. Files and other options go to Vitest, and to Playwright where browser is
the one project.

With --second-attempt, the few files that failed are tried once more, with nothing beside them, and what passes only then
is named at the end: a defect to mend, of the test or of what it tests, but no reason to hold up others.`

/** When more files than these fail, it is not for want of luck. */
const MOST_SECOND_ATTEMPTS = 5

// Each part is a run of its own: what a part starts before its tests, such as a validator, is in nobody's way before.
const parts = [["unit", "api", "postgres15", "chaos", "cluster"], ["validator"]]
const inVitest = parts.flat()

/** @type {string[]} */
const projects = []
/** @type {string[]} */
const rest = []
let hasSecondAttempt = false
for (let args = process.argv.slice(2); args.length > 0; ) {
  const arg = args.shift() ?? ""
  const [, inline] = /^--project(?:=(.+))?$/.exec(arg) ?? []
  if (arg === "--help") {
    console.log(HELP)
    process.exit(0)
  } else if (arg === "--second-attempt") hasSecondAttempt = true
  else if (arg === "--project" || inline !== undefined) projects.push(inline ?? args.shift() ?? "")
  else rest.push(arg)
}
const unknown = projects.find((name) => name !== "browser" && !inVitest.includes(name))
if (unknown !== undefined) {
  console.error(`Unknown project ${JSON.stringify(unknown)}.\n\n${HELP}`)
  process.exit(2)
}

const isWanted = (/** @type {string} */ name) => projects.length === 0 || projects.includes(name)
const hasBrowser = projects.includes("browser") || (projects.length === 0 && rest.length === 0)
const root = join(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "..")
const isUnit = projects.length > 0 && projects.every((name) => name === "unit")

/** @type {string[]} */
const onlyThen = []
let failed = run(process.execPath, [join(root, "scripts", "setup.mjs"), isUnit ? "unit" : "test"])
if (failed !== 0) process.exit(failed)
for (const part of parts) {
  // Files that are named are looked for on a validator only where that is asked for.
  const names = part.filter(
    (name) => isWanted(name) && (name !== "validator" || rest.length === 0 || projects.length > 0),
  )
  if (names.includes("postgres15") && rest.length === 0 && !hasPostgres15()) {
    console.log(
      `Skipped: the tests on Postgres 15, which need Debian's packages ${DEBIAN_PACKAGES.join(", ")}.`,
    )
    names.splice(names.indexOf("postgres15"), 1)
  }
  if (names.length === 0) continue
  const options = part.includes("validator") ? ["--passWithNoTests"] : []
  failed = runVitest([...names.flatMap((name) => ["--project", name]), ...options, ...rest]) || failed
}
// Playwright names what passes only at its second attempt itself, as flaky.
const retries = hasSecondAttempt ? ["--retries", "1"] : []
if (hasBrowser)
  failed = run("playwright", ["test", ...retries, ...(projects.length === 1 ? rest : [])]) || failed
for (const test of onlyThen) console.log(`Passed only at the second attempt: ${test}`)
process.exit(failed)

/**
 * Runs Vitest, and once more what failed where that is wanted. Returns how it ended; 0 is well.
 * @param {string[]} options
 */
function runVitest(options) {
  if (!hasSecondAttempt) return run("vitest", ["run", ...options])
  const folder = mkdtempSync(join(tmpdir(), "vouch-tests-"))
  try {
    const report = join(folder, "report.json")
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`]
    const status = run("vitest", ["run", ...options, ...reporters])
    if (status === 0) return 0
    const failures = failuresIn(report)
    const files = [...new Set(failures.map(({ file }) => file))]
    if (files.length === 0 || files.length > MOST_SECOND_ATTEMPTS) return status
    console.log(`\nA second attempt, of ${files.join(", ")}\n`)
    const second = run("vitest", ["run", ...options, "--no-file-parallelism", ...files])
    if (second === 0) onlyThen.push(...failures.map(({ file, name }) => `${file} > ${name}`))
    return second
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Returns what failed: its file, from the root, and its name. Nothing where an error outside of all tests failed the run,
 * or where it ended before it could report.
 * @param {string} report
 * @returns {{ file: string, name: string }[]}
 */
function failuresIn(report) {
  /** @typedef {{ status: string, fullName: string }} Test */
  /** @type {{ testResults: { name: string, status: string, assertionResults: Test[] }[] }} */
  let read
  try {
    read = JSON.parse(readFileSync(report, "utf8"))
  } catch {
    return []
  }
  return read.testResults
    .filter(({ status }) => status === "failed")
    .flatMap(({ name, assertionResults }) => {
      const tests = assertionResults.filter(({ status }) => status === "failed")
      const names = tests.length > 0 ? tests.map(({ fullName }) => fullName) : ["(the whole file)"]
      return names.map((test) => ({ file: relative(root, name), name: test }))
    })
}

/**
 * Returns how the program ended; 0 is well. npm puts `node_modules/.bin` first in PATH: with it, Node 24.
 * @param {string} program
 * @param {string[]} args
 */
function run(program, args) {
  // A run starts some hundreds of processes, and half of each start is compiling.
  const env = { NODE_COMPILE_CACHE: join(root, "node_modules", ".cache", "node"), ...process.env }
  const { status, signal, error } = spawnSync(program, args, { stdio: "inherit", env })
  if (error) throw error
  if (signal !== null) process.kill(process.pid, signal)
  return status ?? 1
}
