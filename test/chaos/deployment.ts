import { type ChildProcess, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import postgres from "postgres"
import { readJson } from "#server/embedded/lock.ts"
import { startMark } from "#server/embedded/process.ts"
import type { Announcement } from "#server/embedded/services.ts"
import { socketOptions } from "#test/fixtures/socket-options.ts"
import { send } from "../fixtures/http.ts"
import { quietPorts } from "./ports.ts"

const root = join(import.meta.dirname, "..", "..")

/** A real `node server/main.ts`. */
export type ServerProcess = {
  child: ChildProcess
  pid: number
  /** Resolves with the exit code, or null if a signal ended the process. */
  exited: Promise<number | null>
  /** The process's output so far. */
  output(): string
}

export type Deployment = Awaited<ReturnType<typeof createDeployment>>

/**
 * A deployment of real processes, with its own data directory, ports and secrets. If this process dies, a guard ends
 * everything it started and removes the directory.
 */
export async function createDeployment(environment: Record<string, string> = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), `vouch-chaos-${process.pid}-`))
  const guard = spawn(process.execPath, [join(import.meta.dirname, "guard.ts"), dataDir], {
    // Detached from the terminal's Ctrl-C, because it has to clean up afterwards.
    detached: true,
    cwd: root,
    stdio: ["pipe", "ignore", "ignore"],
    env: bareEnvironment(),
  })
  guard.unref()
  const guardEnded = once(guard, "exit")
  const [port, localnetPort] = [await quietPorts(1), await quietPorts(2)]
  const webhookSecret = `whsec_${randomBytes(32).toString("base64")}`
  const settings: Record<string, string> = {
    PORT: String(port),
    VOUCH_DATA_DIR: dataDir,
    VOUCH_LOCALNET_PORT: String(localnetPort),
    VOUCH_LOCALNET_FAULTS: "1",
    VOUCH_RATE_LIMIT: "0",
    VOUCH_WEBHOOK_SECRET: webhookSecret,
    ...environment,
  }
  const origin = `http://127.0.0.1:${port}`
  const rpcUrl = settings.SOLANA_RPC_URL ?? `http://127.0.0.1:${localnetPort}`
  let servers = 0
  let destroyed = false

  function start(
    argv: string[],
    { changes = {}, output, cwd = root }: { changes?: Record<string, string>; output: number | "pipe"; cwd?: string },
  ) {
    // Code still running after a failure must not start anything behind the guard's back.
    if (destroyed) throw new Error("the deployment has been destroyed")
    const child = spawn(process.execPath, argv, {
      cwd,
      stdio: ["ignore", output, output],
      env: { ...bareEnvironment(), ...settings, ...changes },
    })
    const pid = child.pid!
    guard.stdin!.write(`${JSON.stringify({ pid, mark: startMark(pid) ?? "" })}\n`)
    const exited = once(child, "exit").then(([code]) => code as number | null)
    return { child, pid, exited }
  }

  return {
    dataDir,
    port,
    localnetPort,
    origin,
    rpcUrl,
    webhookSecret,

    /** Starts a server without waiting for it. It may be another version, from another folder. `flags` are Node's. */
    startServer(changes: Record<string, string> = {}, flags: string[] = [], cwd = root): ServerProcess {
      const file = join(dataDir, `server-${++servers}.log`)
      const output = openSync(file, "a", 0o600)
      const started = start([...flags, "server/main.ts"], { changes, output, cwd })
      closeSync(output)
      return { ...started, output: () => (existsSync(file) ? readFileSync(file, "utf8") : "") }
    },

    /** Starts another server on a running one's database and waits for it. The settings must name its nodes. */
    async startReplica(): Promise<ServerProcess> {
      const ownPort = await quietPorts(1)
      const replica = this.startServer({
        VOUCH_DATA_DIR: join(dataDir, "replica"),
        DATABASE_URL: readJson<Announcement>(join(dataDir, "services.json"))!.databaseUrl,
        SOLANA_RPC_URL: settings.VOUCH_TEST_SOLANA_RPC_URL!,
        PORT: String(ownPort),
      })
      await this.ready(replica, { at: ownPort })
      return replica
    },

    /** Waits until a server reports that its database is up. Rejects with its last output if it has ended. */
    async ready(server: ServerProcess, { at = port } = {}): Promise<void> {
      for (;;) {
        if (hasEnded(server.child)) throw new ServerEnded(server)
        const health = await send(`http://127.0.0.1:${at}`, { method: "GET", path: "/health" }).catch(() => null)
        if (health?.status === 200 && !hasEnded(server.child)) return
        await sleep(25)
      }
    },

    /** `node server/cli.ts …` on this deployment. `interrupt` ends it after this many milliseconds. */
    async command(
      argv: string[],
      changes: Record<string, string> = {},
      interrupt: { signal: "SIGINT" | "SIGKILL"; after_ms: number } | null = null,
      cwd = root,
    ) {
      const { child, exited } = start(["server/cli.ts", ...argv], { changes, output: "pipe", cwd })
      if (interrupt) {
        const timer = setTimeout(() => child.kill(interrupt.signal), interrupt.after_ms)
        void exited.then(() => clearTimeout(timer))
      }
      const [stdout, stderr, exitCode] = await Promise.all([text(child.stdout!), text(child.stderr!), exited])
      return { exitCode, stdout, stderr }
    },

    /** An API key of a test workspace, created on the command line, of another version if that is in another folder. */
    async createKey(account = "chaos", changes: Record<string, string> = {}, cwd = root): Promise<string> {
      const argv = ["key", "create", "--account", account, "--create", "--plan", "growth", "--mode", "test", "--json"]
      const { exitCode, stdout, stderr } = await this.command(argv, changes, null, cwd)
      if (exitCode !== 0) throw new Error(`key create exited with ${exitCode}: ${stdout}${stderr}`)
      return (JSON.parse(stdout) as { api_key: string }).api_key
    },

    /** Reads from the database what no interface shows. */
    async query<T>(look: (sql: postgres.Sql) => Promise<T>): Promise<T> {
      const { databaseUrl } = readJson<Announcement>(join(dataDir, "services.json"))!
      const sql = postgres(databaseUrl, { ...socketOptions(databaseUrl), max: 1 })
      try {
        return await look(sql)
      } finally {
        await sql.end({ timeout: 1 })
      }
    },

    /** A call to the local network that bypasses its faults. Rejects while it is down. */
    localnet: (method: `localnet_${string}`, parameter: unknown) => call(rpcUrl, method, parameter),

    /** Ends all remaining processes and removes the directory. */
    async destroy(): Promise<void> {
      destroyed = true
      guard.ref()
      guard.stdin!.end()
      await guardEnded
    },
  }
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null

/** A server ended although no one stopped it. */
export class ServerEnded extends Error {
  constructor({ child, output }: ServerProcess) {
    const how = child.signalCode ?? `exit code ${child.exitCode}`
    super(`The server ended unexpectedly (${how}):\n${output().slice(-3000)}`)
  }
}

/** The settings of the test run must not reach the processes under test. */
function bareEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE } = process.env
  return { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" }
}

async function text(stream: NodeJS.ReadableStream): Promise<string> {
  let whole = ""
  for await (const chunk of stream) whole += String(chunk)
  return whole
}

async function call(url: string, method: string, parameter: unknown): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [parameter] })
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body })
  const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } }
  if (error) throw new Error(error.message)
  return result
}

/** Repeats until the call returns a result. The time limit only makes a hanging test fail. */
export async function until<T>(
  what: string,
  ask: () => Promise<T | null | false | undefined> | T | null | false | undefined,
  limitMs = 180_000,
): Promise<T> {
  const end = Date.now() + limitMs
  for (;;) {
    const answer = await ask()
    if (answer !== null && answer !== false && answer !== undefined) return answer
    if (Date.now() > end) throw new Error(`Timed out waiting for ${what}`)
    await sleep(50)
  }
}
