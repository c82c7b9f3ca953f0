import { type ChildProcess, spawn } from "node:child_process"
import { accessSync, constants, mkdtempSync, rmSync } from "node:fs"
import { setPriority, tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { freePorts } from "./free-ports.ts"

const NAME = "solana-test-validator"
/** Ports that it takes for itself besides those it is told. */
const OWN_PORTS = 30
const STARTS_WITHIN_MS = 60_000

/** A real validator. */
export type Validator = {
  /** Its JSON-RPC. It stays the same across restarts. */
  url: string
  /** Of the process that runs now. */
  pid(): number
  /** Ends it as a lost machine would. */
  kill(): Promise<void>
  /** Goes on with what it had written, or with another chain. */
  restart(of: "the same chain" | "another chain"): Promise<void>
  stop(): Promise<void>
}

/** Where it is: in SOLANA_TEST_VALIDATOR, on the PATH, or beside the project. Null where there is none. */
export function findValidator(): string | null {
  const { SOLANA_TEST_VALIDATOR: named, PATH = "" } = process.env
  const beside = join(import.meta.dirname, "..", "..", "shared", "tools", "validator")
  const folders = [...PATH.split(delimiter), beside]
  return [...(named ? [named] : []), ...folders.map((folder) => join(folder, NAME))].find(canRun) ?? null
}

function canRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/**
 * A chain of its own, with slots of 50 ms unless told otherwise. `priority` is that of its threads: 19 gets what all others
 * leave, 0 is like them.
 */
export async function startValidator(
  file: string,
  { ticksPerSlot = 8, priority = 0 } = {},
): Promise<Validator> {
  let ledger = mkdtempSync(join(tmpdir(), "vouch-validator-"))
  const port = await freePorts(4 + OWN_PORTS)
  const ports = [
    ...["--rpc-port", port, "--faucet-port", port + 2, "--gossip-port", port + 3],
    ...["--dynamic-port-range", `${port + 4}-${port + 3 + OWN_PORTS}`, "--bind-address", "127.0.0.1"],
  ]
  const url = `http://127.0.0.1:${port}`
  let child: ChildProcess
  const start = async () => {
    // It would forget its first blocks within minutes, and a server that was restored asks for them.
    const others = [
      "--ledger",
      ledger,
      "--ticks-per-slot",
      ticksPerSlot,
      "--limit-ledger-size",
      50_000_000,
      "--quiet",
    ]
    child = spawn(file, [...ports, ...others].map(String), { stdio: ["ignore", "pipe", "pipe"] })
    // At once: its threads take over that of the one that begins them.
    if (child.pid !== undefined) setPriority(child.pid, priority)
    let output = ""
    for (const stream of [child.stdout!, child.stderr!]) stream.on("data", (text) => (output += text))
    try {
      await answers(url, child)
    } catch (error) {
      await stop()
      throw new Error(`${file} does not start: ${output.slice(-500)}`, { cause: error })
    }
  }
  const forget = () => rmSync(ledger, { recursive: true, force: true })
  const stop = async () => {
    await ended(child, "SIGTERM")
    forget()
  }
  await start()
  return {
    url,
    pid: () => child.pid!,
    kill: () => ended(child, "SIGKILL"),
    async restart(of) {
      await ended(child, "SIGTERM")
      if (of === "another chain") {
        forget()
        ledger = mkdtempSync(join(tmpdir(), "vouch-validator-"))
      }
      await start()
    },
    stop,
  }
}

async function answers(url: string, child: ChildProcess): Promise<void> {
  const until = performance.now() + STARTS_WITHIN_MS
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "getSlot",
    params: [{ commitment: "finalized" }],
  })
  while (child.exitCode === null && performance.now() < until) {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    }).catch(() => null)
    const answer = response?.ok ? ((await response.json()) as { result?: number }) : {}
    if ((answer.result ?? 0) > 0) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`it has not answered in time; exit code ${child.exitCode}`)
}

async function ended(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once("exit", resolve))
  child.kill(signal)
  const late = setTimeout(() => child.kill("SIGKILL"), 10_000)
  await gone
  clearTimeout(late)
}
