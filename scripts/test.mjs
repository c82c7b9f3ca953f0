// `npm test`: everything, or the projects that are named. It runs on Node 20 with nothing installed, like setup.mjs.
import { spawnSync } from "node:child_process"
import { join } from "node:path"

const HELP = `npm test -- [--project <name>]... [files]

  unit      no server and no database: rules, amounts, states, words
  api       one part each, against a real Postgres and the local network
  chaos     whole deployments, of which processes are killed and stopped
  browser   pages, in Chromium

Without a project, all of them in this order. Files and other options go to Vitest, and to Playwright where browser is
the one project.`

const inVitest = ["unit", "api", "chaos"]

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

const named = inVitest.filter((name) => projects.includes(name))
const hasBrowser = projects.includes("browser") || (projects.length === 0 && rest.length === 0)
const root = join(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "..")
const isUnit = projects.length > 0 && projects.every((name) => name === "unit")

run(process.execPath, [join(root, "scripts", "setup.mjs"), isUnit ? "unit" : "test"])
if (named.length > 0 || projects.length === 0)
  run("vitest", ["run", ...named.flatMap((name) => ["--project", name]), ...rest])
if (hasBrowser) run("playwright", ["test", ...(projects.length === 1 ? rest : [])])

/**
 * Ends this process where the program fails. npm puts `node_modules/.bin` first in PATH: with it, Node 24.
 * @param {string} program
 * @param {string[]} args
 */
function run(program, args) {
  // A run starts some hundreds of processes, and half of each start is compiling.
  const env = { NODE_COMPILE_CACHE: join(root, "node_modules", ".cache", "node"), ...process.env }
  const { status, signal, error } = spawnSync(program, args, { stdio: "inherit", env })
  if (error) throw error
  if (signal !== null) process.kill(process.pid, signal)
  if (status !== 0) process.exit(status ?? 1)
}
