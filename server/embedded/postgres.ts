import { spawn } from "node:child_process"
import { closeSync, mkdirSync, readFileSync, statSync } from "node:fs"
import { join, resolve } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { ended, isAlive } from "./lock.ts"
import { type Log, openLog } from "./log.ts"
import { postgresAccount, postgresBinaries } from "./postgres-account.ts"
import { ensureCluster, runAs, startupError } from "./postgres-cluster.ts"
import { clearStaleLocks, endOrphans, readPostmaster, runningPostmaster } from "./postmaster.ts"
import { signal, startMark } from "./process.ts"
import { removeSocketDirectory, socketDirectory, socketUrl } from "./socket.ts"

export type PostgresOptions = {
  /** The cluster is created in `DIR/postgres` if missing. Its log is next to it. */
  dataDir: string
  /** false for tests: committed data then survives a killed process, but not a power cut. */
  durable?: boolean
  log: Log
}

export type RunningPostgres = {
  /** In libpq's form. */
  url: string
  pid: number
  /** Whether it was already running: left by a killed process, or in use by another process. */
  adopted: boolean
  isRunning(): boolean
  /** Resolves when the process ends, for any reason. */
  exited: Promise<void>
  /** Fast shutdown: aborts running statements and needs no recovery at the next start. */
  stop(): Promise<void>
}

/**
 * Starts the embedded Postgres of a data directory, or adopts it if it is already running. It listens only on a Unix
 * socket in a private directory. It runs in its own session, so a Ctrl-C in the terminal reaches Vouch but not
 * Postgres, which Vouch needs for an orderly shutdown.
 */
export async function startPostgres({ dataDir, durable = true, log }: PostgresOptions): Promise<RunningPostgres> {
  const home = resolve(dataDir)
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 })
    const account = postgresAccount(join(home, "postgres"), log)
    const binaries = await postgresBinaries(account, log)
    const cluster = await ensureCluster({ dataDir: home, account, binaries, durable, log })
    const password = readPassword(home)

    for (;;) {
      const running = runningPostmaster(cluster)
      if (running) {
        if (!(await readiness(cluster, running.pid, log))) continue
        log.info(`Using the embedded Postgres that is already running (pid ${running.pid})`)
        const { pid, socketDirectory: directory } = running
        return handle({ pid, directory, password, adopted: true, exited: ended({ pid, mark: startMark(pid) ?? "" }) })
      }
      if (endOrphans(cluster)) {
        await sleep(20)
        continue
      }
      const directory = socketDirectory(cluster, account)
      clearStaleLocks(cluster, directory)
      const logFile = join(home, "postgres.log")
      const output = openLog(logFile)
      const logged_bytes = statSync(logFile).size
      const child = spawn(binaries.postgres, ["-D", cluster, ...settings(directory, durable)], {
        ...runAs(account),
        detached: true,
        stdio: ["ignore", output, output],
      })
      closeSync(output)
      child.unref()
      const exited = new Promise<void>((done) => {
        child.once("exit", () => done())
        child.once("error", () => done())
      })
      const failure = new Promise<Error>((failed) => child.once("error", failed))
      if (child.pid === undefined) throw await failure
      if (await readiness(cluster, child.pid, log)) {
        return handle({ pid: child.pid, directory, password, adopted: false, exited })
      }
      // It ended at once. Another process may have started the same cluster first; otherwise the log has the reason.
      const reason = readFileSync(logFile).subarray(logged_bytes).toString()
      if (!/lock file .* (already exists|is empty)|still in use/.test(reason))
        throw new Error(reason || `see ${logFile}`)
      await sleep(20)
    }
  } catch (error) {
    throw startupError(error, home)
  }
}

/** For a small machine. Larger databases belong at DATABASE_URL. */
function settings(directory: string, durable: boolean): string[] {
  const on = durable ? "on" : "off"
  return Object.entries({
    listen_addresses: "",
    unix_socket_directories: directory,
    unix_socket_permissions: "0700",
    max_connections: "200",
    shared_buffers: "128MB",
    random_page_cost: "1.1",
    jit: "off",
    // Parallel queries use /dev/shm, which is small in containers, and gain nothing on two cores.
    max_parallel_workers_per_gather: "0",
    log_min_messages: "warning",
    log_checkpoints: "off",
    // Stays on even without fsync: a commit then survives kill -9, because it has left the process.
    synchronous_commit: "on",
    fsync: on,
    full_page_writes: on,
  }).flatMap(([name, value]) => ["-c", `${name}=${value}`])
}

/** Waits until it accepts connections; false if it ended instead. Recovery after a crash may be slow. */
async function readiness(cluster: string, pid: number, log: Log): Promise<boolean> {
  for (let waits = 0; startMark(pid) !== undefined; waits++) {
    const postmaster = readPostmaster(cluster)
    if (postmaster?.pid === pid && postmaster.status === "ready") return true
    if (waits === 500) log.info("Postgres is starting: recovering from an earlier crash")
    await sleep(10)
  }
  return false
}

type Postmaster = { pid: number; directory: string; password: string; adopted: boolean; exited: Promise<void> }

function handle({ pid, directory, password, adopted, exited }: Postmaster): RunningPostgres {
  const holder = { pid, mark: startMark(pid) ?? "" }
  const isRunning = () => isAlive(holder)
  const stop = async () => {
    for (let waits = 0; isRunning(); waits++) {
      if (waits === 0) signal(pid, "SIGINT")
      // An immediate shutdown loses nothing either: the next start recovers from the WAL.
      if (waits === 3_000) signal(pid, "SIGQUIT")
      await sleep(10)
    }
    removeSocketDirectory(directory)
  }
  return { url: socketUrl(directory, password, "vouch"), pid, adopted, isRunning, exited, stop }
}

function readPassword(home: string): string {
  const file = join(home, "postgres-password")
  try {
    return readFileSync(file, "utf8").trim()
  } catch (cause) {
    throw new Error(
      `${file} cannot be read, and it is needed to connect to the database in ${join(home, "postgres")}. ` +
        "Restore it from a backup, or move the database away to start with an empty one.",
      { cause },
    )
  }
}
