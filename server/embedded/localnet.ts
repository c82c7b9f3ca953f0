import { spawn } from "node:child_process"
import { closeSync, readFileSync, statSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { Holder } from "./lock.ts"
import { isAlive, ourselves, readJson, writeJson } from "./lock.ts"
import { openLog } from "./log.ts"
import { signal, startMark } from "./process.ts"

export type LocalnetOptions = {
  dataDir: string
  port: number
  slotMs: number
  /** Lets tests tell it to misbehave. */
  faults: boolean
  /** The program to run; another one only in tests. */
  program?: string
}

export type RunningLocalnet = {
  url: string
  pid: number
  adopted: boolean
  exited: Promise<void>
  stop(): Promise<void>
}

/** What `localnet.json` says of the one that runs. `starter` keeps its IPC channel: it ends with that process. */
type Running = Holder & { url: string; starter: Holder }

const PORT_IN_USE = 98

/** Starts the local network of a data directory, or uses the one that another Vouch process runs there. */
export async function startLocalnet(options: LocalnetOptions): Promise<RunningLocalnet> {
  const record = join(options.dataDir, "localnet.json")
  const running = readJson<Running>(record)
  if (running && isAlive(running)) {
    if (isAlive(running.starter)) {
      return { url: running.url, pid: running.pid, adopted: true, exited: end(running), stop: async () => {} }
    }
    // Its starter was killed: it notices by the closed channel, and writes down what it still holds.
    await Promise.race([end(running), sleep(3_000)])
    if (isAlive(running)) signal(running.pid, "SIGKILL")
    await end(running)
  }
  return startChild(options, record)
}

async function startChild(options: LocalnetOptions, record: string): Promise<RunningLocalnet> {
  if (!options.program) requireMachine()
  const logFile = join(options.dataDir, "localnet.log")
  const output = openLog(logFile)
  const logged_bytes = statSync(logFile).size
  const child = spawn(process.execPath, programArguments(options), {
    // Its own process group: a terminal's Ctrl-C is for us, and we end it when our own work is done.
    detached: true,
    stdio: ["ignore", output, output, "ipc"],
    env: { NODE_ENV: process.env.NODE_ENV, PATH: process.env.PATH },
  })
  closeSync(output)
  const exited = new Promise<{ code: number | null }>((done) => child.once("exit", (code) => done({ code })))
  const ready = new Promise<{ url: string }>((done, failed) => {
    child.once("message", (message) => done(message as { url: string }))
    child.on("error", failed)
  })
  const first = await Promise.race([ready, exited])
  if ("code" in first) {
    if (first.code === PORT_IN_USE) throw new PortInUse(options.port)
    const reason = readFileSync(logFile).subarray(logged_bytes).toString().trim()
    throw new Error(`The local Solana network could not be started: ${reason || `exit code ${first.code}`}`)
  }
  // From here on its life is not to prolong ours.
  child.unref()
  child.channel?.unref()
  const pid = child.pid!
  const { url } = first
  writeJson(record, { pid, mark: startMark(pid) ?? "", url, starter: ourselves() } satisfies Running)
  const stop = async () => {
    const deadline = setTimeout(() => child.kill("SIGKILL"), 10_000)
    child.kill("SIGTERM")
    await exited
    clearTimeout(deadline)
  }
  return { url, pid, adopted: false, exited: exited.then(() => {}), stop }
}

/** litesvm has its machine code in a package for each platform, as an optional dependency: an image may leave it out. */
function requireMachine(): void {
  const require = createRequire(createRequire(import.meta.url).resolve("litesvm/package.json"))
  const { optionalDependencies } = require("./package.json") as {
    optionalDependencies: Record<string, string>
  }
  const isInstalled = (name: string) => {
    try {
      return require.resolve(name) !== ""
    } catch {
      return false
    }
  }
  if (Object.keys(optionalDependencies).some(isInstalled)) return
  throw new Error(
    `There is no local Solana network for ${process.platform}-${process.arch}, or it was not installed ` +
      "(npm must not omit optional dependencies). Install it, or set SOLANA_RPC_URL to a cluster.",
  )
}

function programArguments({ dataDir, port, slotMs, faults, program }: LocalnetOptions): string[] {
  return [
    program ?? join(import.meta.dirname, "localnet", "main.ts"),
    "--port",
    String(port),
    "--data-dir",
    join(dataDir, "localnet"),
    "--slot-ms",
    String(slotMs),
    ...(faults ? ["--allow-faults"] : []),
  ]
}

async function end(holder: Holder): Promise<void> {
  while (isAlive(holder)) await sleep(50, undefined, { ref: false })
}

class PortInUse extends Error {
  constructor(port: number) {
    super(
      `Port ${port} or ${port + 1} is taken, which the local Solana network needs for its RPC and WebSocket. ` +
        "Set VOUCH_LOCALNET_PORT to a free one, or SOLANA_RPC_URL to a cluster.",
    )
  }
}
