// Shows the progress of long steps: one moving line on a terminal, otherwise a line now and then. Writes to standard
// error, because standard output belongs to the command that follows. Runs on Node 20.
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"

/** Pause between two lines without a terminal, and between two updates of the moving line. */
const LINE_MS = 10_000
const LIVE_MS = 250

/**
 * @typedef {object} Progress
 * @property {(line: string) => void} say prints a line that stays
 * @property {(detail: string) => void} note sets the progress text, shown next to the time from now on
 */

/**
 * Runs `work` and shows how long it has taken so far.
 * @template T
 * @param {string} label
 * @param {(progress: Progress) => Promise<T>} work
 * @param {{ out?: { isTTY?: boolean, columns?: number, write(text: string): unknown }, everyMs?: number }} [options]
 * @returns {Promise<T>}
 */
export async function withProgress(label, work, { out = process.stderr, everyMs } = {}) {
  const isLive = out.isTTY === true
  const began = performance.now()
  const seconds = () => `${Math.floor((performance.now() - began) / 1000)} s`
  let detail = ""
  const wipe = () => isLive && out.write("\r\x1b[K")
  const tick = () => {
    const line = `${label}: ${seconds()}${detail && `, ${detail}`}`
    wipe()
    out.write(isLive ? line.slice(0, (out.columns ?? 80) - 1) : `${line}\n`)
  }
  out.write(`${label}…${isLive ? "" : "\n"}`)
  const timer = setInterval(tick, everyMs ?? (isLive ? LIVE_MS : LINE_MS))
  /** @param {string} how */
  const end = (how) => {
    clearInterval(timer)
    wipe()
    out.write(`${label}: ${how} ${seconds()}\n`)
  }
  try {
    const outcome = await work({
      say: (line) => {
        wipe()
        out.write(`${line}\n`)
      },
      note: (text) => {
        detail = text
      },
    })
    end("done in")
    return outcome
  } catch (error) {
    end("failed after")
    throw error
  }
}

/**
 * Runs a program and passes every line of its output to `hear`. Resolves to whether it succeeded.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd: string, env?: NodeJS.ProcessEnv, hear: (line: string) => void }} options
 * @returns {Promise<boolean>}
 */
export function runProgram(command, args, { cwd, env = process.env, hear }) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] })
    for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on("line", hear)
    child.once("error", (error) => {
      hear(error.message)
      resolve(false)
    })
    child.once("close", (code) => resolve(code === 0))
  })
}

/**
 * Counts packages in npm's output with `--loglevel=http`, and prints only lines that a person must read.
 * @param {Progress} progress
 * @param {number} total
 * @returns {(line: string) => void}
 */
export function hearNpm({ say, note }, total) {
  const fetched = new Set()
  return (line) => {
    const [, address] = /^npm http (?:fetch GET 200|cache) (\S+\.tgz)/.exec(line) ?? []
    if (address !== undefined) {
      fetched.add(address)
      note(`${fetched.size} of about ${total} packages`)
    } else if (/^npm (err|error)\b/i.test(line)) {
      say(line)
    } else if (/^> /.test(line)) {
      note(`running ${line.slice(2)}`)
    }
  }
}
