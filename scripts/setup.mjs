// Makes a checkout ready to run: dependencies, the built pages, a browser for the tests. npm calls it before
// `start`, `test` and `vouch`. It runs on Node 20 with nothing installed, writes to standard error only
// (standard output belongs to the command that follows), and says nothing when there is nothing to do.
import { existsSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { carriedNode } from "./carried-node.mjs"
import { findChromium } from "./chromium.mjs"
import { DEBIAN_PACKAGES, hasPostgres15 } from "./postgres-15.mjs"
import { hearNpm, runProgram, withProgress } from "./progress.mjs"
import {
  buildIsCurrent,
  buildStamp,
  dependenciesAreInstalled,
  inputsOfBuild,
  packagesForHere,
  whyReadOnly,
} from "./setup-checks.mjs"
import { withSetupLock } from "./setup-lock.mjs"

const root = join(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "..")
/** This process's Node is used if the platform has no carried one. */
const WANTED_NODE = 24
const APT_GET = "/usr/bin/apt-get"

/** @typedef {import("./progress.mjs").Progress} Progress */

/** @typedef {{ name: string, is: string, remedy: string }} Folder what a step writes, and what to say if it cannot */

/** @type {Record<string, { label: string, folder?: Folder, isDone: () => boolean, run: (progress: Progress) => Promise<void> }>} */
const steps = {
  dependencies: {
    label: "Installing dependencies",
    folder: {
      name: "node_modules",
      is: "Packages of package-lock.json are missing or have another version",
      remedy: "Make the folder writable, or run npm ci as a user who can write it.",
    },
    isDone: () => dependenciesAreInstalled(root, { forDevelopment: needsDevelopment() }),
    run: installDependencies,
  },
  build: { label: "Building the pages", isDone: () => buildIsCurrent(root), run: buildPages },
  browser: {
    label: "Installing Chromium for the browser tests",
    isDone: () => !!findChromium(),
    run: installChromium,
  },
  postgres15: {
    label: "Installing Debian's Postgres 15 and PgBouncer for their tests",
    // On other systems these tests are skipped, and `npm test` says so.
    isDone: () => hasPostgres15() || !hasApt(),
    run: installPostgres15,
  },
}

/** @type {Record<string, (keyof typeof steps)[]>} */
const needsOf = {
  start: ["dependencies", "build"],
  test: ["dependencies", "build", "browser", "postgres15"],
  unit: ["dependencies"],
  bench: ["dependencies", "build"],
  vouch: ["dependencies"],
}

const purpose = process.argv[2] ?? ""
const needs = needsOf[purpose] ?? stop(`Usage: node scripts/setup.mjs <${Object.keys(needsOf).join("|")}>`)

if (Number(process.versions.node.split(".")[0]) < 20) {
  stop(`Vouch needs Node 20 or newer to install itself; this is ${process.version}. See https://nodejs.org`)
}

if (needs.some((name) => !steps[name]?.isDone())) {
  await withSetupLock(root, say, async () => {
    for (const name of needs) {
      const step = steps[name]
      // Checks again, because the previous holder of the lock may have done it.
      if (!step || step.isDone()) continue
      const reason = step.folder && whyReadOnly(root, step.folder.name)
      if (reason)
        stop(
          `${step.folder?.is}, and ${join(root, step.folder?.name ?? "")} cannot be written (${reason}). ` +
            step.folder?.remedy,
        )
      await withProgress(step.label, step.run).catch((error) => stop(error.message))
    }
  })
}
nodeToRun()

/** A production image has neither Tailwind nor test runners, and does not need them once the pages are built. */
function needsDevelopment() {
  return ["test", "unit", "bench"].includes(purpose) || (needs.includes("build") && !buildIsCurrent(root))
}

/**
 * Installs the lockfile, with each package checked by its hash. `npm ci` is only for a checkout without packages, because
 * it would delete those of a developer who lacks three. Both ways give the same versions.
 * @param {Progress} progress
 */
async function installDependencies(progress) {
  // npm runs this script and passes its own path. From a shell, npm is on the PATH.
  const npm = process.env.npm_execpath
  const [command, ...first] = npm?.endsWith("npm-cli.js") ? [process.execPath, npm] : ["npm"]
  const how = existsSync(join(root, "node_modules")) ? ["install", "--no-save"] : ["ci"]
  const hear = hearNpm(progress, packagesForHere(root))
  const installed = await run(command, [...first, ...how, "--loglevel=http"], { hear })
  if (!installed) throw new Error("Could not install the dependencies. See npm's error above, then run this again.")
}

/** @param {Progress} progress */
async function buildPages({ say }) {
  const node = nodeToRun()
  const inputs = inputsOfBuild(root)
  rmSync(buildStamp(root), { force: true })
  const next = join(root, "node_modules", "next", "dist", "bin", "next")
  const env = { NEXT_TELEMETRY_DISABLED: "1", NODE_ENV: "production" }
  if (!(await run(node, [next, "build"], { env, hear: say })))
    throw new Error("Could not build the pages. See the error above.")
  writeFileSync(buildStamp(root), inputs)
}

/** @param {Progress} progress */
async function installChromium({ say: hear }) {
  if (hasApt()) {
    await installPackages(["chromium"], hear)
    if (findChromium()) return
  }
  throw new Error(
    "The browser tests need Chromium. Install it (Debian, Ubuntu: sudo apt-get install chromium; " +
      "macOS: brew install --cask chromium), or set CHROMIUM_PATH to a Chromium or Chrome.",
  )
}

/** @param {Progress} progress */
async function installPostgres15({ say: hear }) {
  await installPackages(DEBIAN_PACKAGES, hear)
}

/** Whether this is Debian or a derivative, and packages may be installed. */
function hasApt() {
  return process.getuid?.() === 0 && existsSync(APT_GET)
}

/**
 * @param {string[]} packages
 * @param {(line: string) => void} hear
 */
async function installPackages(packages, hear) {
  // At run level 1 packages do not start their services. The tests start their own.
  const env = { DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" }
  await run(APT_GET, ["update", "-qq"], { env, hear })
  await run(APT_GET, ["install", "-y", "-qq", "--no-install-recommends", ...packages], { env, hear })
}

/** The Node for everything except this script. npm puts the carried one first on its path. */
function nodeToRun() {
  const carried = carriedNode(root)
  if (carried !== undefined) return carried
  if (Number(process.versions.node.split(".")[0]) >= WANTED_NODE) return process.execPath
  return stop(
    `Vouch runs on Node ${WANTED_NODE}, which it installs on Linux and macOS and which is missing here. Run npm install ` +
      `without --omit=optional. On other systems, install Node ${WANTED_NODE} yourself: https://nodejs.org`,
  )
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {{ env?: Record<string, string>, hear: (line: string) => void }} options
 */
function run(command, args, { env, hear }) {
  return runProgram(command, args, { cwd: root, env: { ...process.env, ...env }, hear })
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
