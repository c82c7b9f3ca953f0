import { closeSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { type LocalnetProcess, PortInUse, startLocalnetProcess, UnsupportedPlatform } from "#localnet"
import { ended, type Holder, isAlive, ourselves, readJson, writeJson } from "./lock.ts"
import { openLog } from "./log.ts"
import { signal, startMark } from "./process.ts"

export type LocalnetOptions = {
  dataDir: string
  port: number
  slotMs: number
  /** Lets tests disturb the network. */
  allowFaults: boolean
}

export type RunningLocalnet = LocalnetProcess & { adopted: boolean }

/** The running network, in `localnet.json`. It ends with its starter, when their IPC channel closes. */
type Running = Holder & { url: string; starter: Holder }

/** Starts the local network of a data directory, or uses the one that another Vouch process runs there. */
export async function startLocalnet(options: LocalnetOptions): Promise<RunningLocalnet> {
  const record = join(options.dataDir, "localnet.json")
  const running = readJson<Running>(record)
  if (running && isAlive(running)) {
    if (isAlive(running.starter)) {
      return { url: running.url, pid: running.pid, adopted: true, exited: ended(running), stop: async () => {} }
    }
    // Its starter was killed. The network notices the closed channel and saves its state.
    await Promise.race([ended(running), sleep(3_000)])
    if (isAlive(running)) signal(running.pid, "SIGKILL")
    await ended(running)
  }
  return startChild(options, record)
}

async function startChild({ dataDir, port, ...options }: LocalnetOptions, record: string): Promise<RunningLocalnet> {
  const logFile = join(dataDir, "localnet.log")
  const output = openLog(logFile)
  const logged_bytes = statSync(logFile).size
  try {
    const started = await startLocalnetProcess({ ...options, port, dataDir: join(dataDir, "localnet"), output })
    const { url, pid } = started
    writeJson(record, { pid, mark: startMark(pid) ?? "", url, starter: ourselves() } satisfies Running)
    return { ...started, adopted: false }
  } catch (error) {
    if (error instanceof PortInUse) throw new Error(portInUse(port))
    if (error instanceof UnsupportedPlatform)
      throw new Error(`${error.message} Install it, or set SOLANA_RPC_URL to a cluster.`)
    const reason = readFileSync(logFile).subarray(logged_bytes).toString().trim()
    throw new Error(`Could not start the local Solana network: ${reason || (error as Error).message}`)
  } finally {
    closeSync(output)
  }
}

const portInUse = (port: number) =>
  `Port ${port} or ${port + 1} is in use. The local Solana network needs both for its RPC and WebSocket. ` +
  "Set VOUCH_LOCALNET_PORT to a free one, or SOLANA_RPC_URL to a cluster."
