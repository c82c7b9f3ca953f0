// `npm test`: everything, or the projects that are named. It runs on Node 20 with nothing installed, like setup.mjs.
import { spawnSync } from "node:child_process"
import { join } from "node:path"

const HELP = `npm test -- [--project <name>]... [files]

  unit      no server and no database: rules, amounts, states, words
  api       one part each, against a real Postgres and the local network
  chaos     whole deployments, of which processes are killed and stopped
  cluster   a real Solana validator, where there is one (SOLANA_TEST_VALIDATOR, or on the PATH)
  validator some of api on such a validator; all of them by npm run cluster -- --server-tests
  browser   pages, in Chromium

Without a project, all of them in this order. Files and other options go to Vitest, and to Playwright where browser is
the one project.`

// Each part is a run of its own: what a part starts before its tests, such as a validator, is in nobody's way before.
const parts = [["unit", "api", "chaos", "cluster"], ["validator"]]
const inVitest = parts.flat()

/** @type {string[]} */
const projects = []
/** @type {string[]} */
const rest = []
for (let args = process.argv.slice(2); args.length > 0; ) {
  const arg = args.shift() ?? ""
  const [, inline] = /^--project(?:=(.+))?$/.exec(arg) ?? []
  if (arg === "--help") {
    console.log(HELP)
    process.exit(0)
  } else if (arg === "--project" || inline !== undefined) projects.push(inline ?? args.shift() ?? "")
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

let failed = run(process.execPath, [join(root, "scripts", "setup.mjs"), isUnit ? "unit" : "test"])
if (failed !== 0) process.exit(failed)
for (const part of parts) {
  // Files that are named are looked for on a validator only where that is asked for.
  const names = part.filter(
    (name) => isWanted(name) && (name !== "validator" || rest.length === 0 || projects.length > 0),
  )
  if (names.length === 0) continue
  const options = part.includes("validator") ? ["--passWithNoTests"] : []
  failed =
    run("vitest", ["run", ...names.flatMap((name) => ["--project", name]), ...options, ...rest]) || failed
}
if (hasBrowser) failed = run("playwright", ["test", ...(projects.length === 1 ? rest : [])]) || failed
process.exit(failed)

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
