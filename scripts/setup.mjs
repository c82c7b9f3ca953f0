// Makes a checkout ready to run: dependencies, the built pages, a browser for the tests. npm calls it before
// `start`, `test` and `vouch`. It runs on Node 20 with nothing installed, writes to standard error only
// (standard output belongs to the command that follows), and says nothing when there is nothing to do.
import { spawnSync } from "node:child_process"
import { existsSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { findChromium } from "./chromium.mjs"
import { buildIsCurrent, buildStamp, dependenciesAreInstalled, inputsOfBuild } from "./setup-checks.mjs"
import { withSetupLock } from "./setup-lock.mjs"

const root = join(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "..")
const carriedNode = join(root, "node_modules", ".bin", "node")

/** @type {Record<string, { label: string, isDone: () => boolean, run: () => void }>} */
const steps = {
  dependencies: {
    label: "Installing dependencies (a minute or two)",
    isDone: () => dependenciesAreInstalled(root, { forDevelopment: needsDevelopment() }),
    run: installDependencies,
  },
  build: { label: "Building the pages", isDone: () => buildIsCurrent(root), run: buildPages },
  browser: {
    label: "Installing Chromium for the browser tests",
    isDone: () => !!findChromium(),
    run: installChromium,
  },
}

/** @type {Record<string, (keyof typeof steps)[]>} */
const needsOf = {
  start: ["dependencies", "build"],
  test: ["dependencies", "build", "browser"],
  bench: ["dependencies", "build"],
  vouch: ["dependencies"],
}

const purpose = process.argv[2] ?? ""
const needs = needsOf[purpose] ?? stop(`Usage: node scripts/setup.mjs <${Object.keys(needsOf).join("|")}>`)

if (Number(process.versions.node.split(".")[0]) < 20) {
  stop(`Vouch needs Node 20 or newer to install itself; this is ${process.version}. See https://nodejs.org`)
}

if (needs.some((name) => !steps[name]?.isDone())) {
  await withSetupLock(root, say, () => {
    for (const name of needs) {
      const step = steps[name]
      // Looked at again: whoever held the lock before us may have done it.
      if (!step || step.isDone()) continue
      say(`${step.label}…`)
      const began = performance.now()
      step.run()
      say(`${step.label}: done in ${((performance.now() - began) / 1000).toFixed(1)} s`)
    }
  })
}
requireCarriedNode()

/** An image for production has neither Tailwind nor test runners, and does not need them once it is built. */
function needsDevelopment() {
  return purpose === "test" || purpose === "bench" || (needs.includes("build") && !buildIsCurrent(root))
}

function installDependencies() {
  // npm itself runs this script and says where it lies; from a shell it is the one on the PATH.
  const npm = process.env.npm_execpath
  const [command, ...first] = npm?.endsWith("npm-cli.js") ? [process.execPath, npm] : ["npm"]
  // Not `npm ci`: it refuses a lockfile without the optional packages of platforms that it was not written on.
  // --no-save leaves that file as it is. Warnings are left out, as packages that want a newer Node get one.
  const installed = run(command, [...first, "install", "--no-save", "--loglevel=error"])
  if (!installed) stop("The dependencies could not be installed; npm's reason is above. Then run this again.")
}

function buildPages() {
  requireCarriedNode()
  const inputs = inputsOfBuild(root)
  rmSync(buildStamp(root), { force: true })
  const next = join(root, "node_modules", "next", "dist", "bin", "next")
  const built = run(carriedNode, [next, "build"], { NEXT_TELEMETRY_DISABLED: "1", NODE_ENV: "production" })
  if (!built) stop("The pages could not be built; the reason is above.")
  writeFileSync(buildStamp(root), inputs)
}

function installChromium() {
  const aptGet = "/usr/bin/apt-get"
  if (process.getuid?.() === 0 && existsSync(aptGet)) {
    const quietly = { DEBIAN_FRONTEND: "noninteractive" }
    run(aptGet, ["update", "-qq"], quietly)
    run(aptGet, ["install", "-y", "-qq", "--no-install-recommends", "chromium"], quietly)
    if (findChromium()) return
  }
  stop(
    "The browser tests need Chromium. Install it (Debian, Ubuntu: sudo apt-get install chromium; " +
      "macOS: brew install --cask chromium), or set CHROMIUM_PATH to a Chromium or Chrome.",
  )
}

function requireCarriedNode() {
  if (existsSync(carriedNode)) return
  stop(
    "node_modules/.bin/node is missing: the dependencies were installed without their install scripts " +
      "(npm's ignore-scripts). Run: npm rebuild --ignore-scripts=false",
  )
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {Record<string, string>} [environment]
 */
function run(command, args, environment = {}) {
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    stdio: ["ignore", 2, 2],
    env: { ...process.env, ...environment },
  })
  if (error) say(error.message)
  return status === 0
}

/** @param {string} line */
function say(line) {
  process.stderr.write(`${line}\n`)
}

/**
 * @param {string} reason
 * @returns {never}
 */
function stop(reason) {
  say(`\n${reason}\n`)
  process.exit(1)
}
