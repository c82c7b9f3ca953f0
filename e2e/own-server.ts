import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePorts } from "../test/fixtures/free-ports.ts"

export type OwnServer = {
  origin: string
  /** Everything printed so far. */
  printed: () => string
  /** Its environment, with which `vouch` commands find it. */
  env: NodeJS.ProcessEnv
  stop(): Promise<void>
}

/** Starts a separate server with a new data directory, like a new user, and waits until it is ready. */
export async function startOwnServer({
  entry = "server/main.ts",
  settings = {},
}: {
  /** The running processes. */
  entry?: string
  settings?: Record<string, string>
} = {}): Promise<OwnServer> {
  const dataDir = mkdtempSync(join(tmpdir(), `vouch-test-${process.pid}-own-`))
  const port = await freePorts(1)
  const env = {
    ...process.env,
    PORT: String(port),
    VOUCH_DATA_DIR: dataDir,
    VOUCH_LOCALNET_PORT: String(await freePorts(2)),
    VOUCH_LOG_LEVEL: "warn",
    ...settings,
  }
  const child = spawn(process.execPath, [entry], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  })
  let printed = ""
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  const ready = new Promise<void>((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      printed += chunk
      // The last line that a start prints.
      if (/curl .*\n/.test(printed)) resolve()
    })
    exited.then(() => reject(new Error(`The server has ended:\n${printed}`)))
  })
  const stop = async () => {
    child.kill("SIGTERM")
    await exited
    rmSync(dataDir, { recursive: true, force: true })
  }
  try {
    await ready
  } catch (error) {
    await stop()
    throw error
  }
  return { origin: `http://localhost:${port}`, printed: () => printed, env, stop }
}
