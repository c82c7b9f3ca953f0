import { mkdirSync, mkdtempSync, rmdirSync, rmSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { sayWhenSlow } from "#server/lib/say-when-slow.ts"
import type { RunningLocalnet } from "./localnet.ts"
import { startLocalnet } from "./localnet.ts"
import * as locks from "./lock.ts"
import type { Log } from "./log.ts"
import type { RunningPostgres } from "./postgres.ts"
import { startPostgres } from "./postgres.ts"
import { startupError } from "./postgres-cluster.ts"
import type { Supervised } from "./supervise.ts"
import { supervise } from "./supervise.ts"

export type ServicesOptions = {
  dataDir: string
  /** Configured by the operator. Undefined ones are embedded. */
  databaseUrl: string | undefined
  rpcUrl: string | undefined
  localnetPort: number
  localnetSlotMs: number
  localnetFaults: boolean
  log: Log
  /** A data directory has one server. Any number of commands may run at the same time. */
  purpose: "server" | "cli"
  /** The origin of every link that the server hands out. Commands print links with it. */
  origin?: string
  /** false for a command that does not use the chain: the local network is then not started. */
  needsChain?: boolean
  /** false for tests, see PostgresOptions. */
  durable?: boolean
}

export type Services = {
  databaseUrl: string
  rpcUrl: string
  embedded: { postgres: boolean; localnet: boolean }
  /** Stops the services that no other process uses, in a safe order. Idempotent. */
  stop(): Promise<void>
}

/** What a running server passes to commands, in `services.json`. */
export type Announcement = locks.Holder & {
  origin?: string | undefined
  databaseUrl: string
  rpcUrl: string
  embedded: Services["embedded"]
}

/** The server that runs on a data directory now, if any. */
export function runningServer(dataDir: string): Announcement | undefined {
  const announced = locks.readJson<Announcement>(join(dataDir, "services.json"))
  return announced && locks.isAlive(announced) ? announced : undefined
}

/**
 * Starts the services that are not configured and keeps them running. Several processes may share the embedded services
 * of a data directory. Each holds a lease. The first to find a service missing starts it, and the last one stops it.
 */
export async function startServices(options: ServicesOptions): Promise<Services> {
  const dataDir = resolve(options.dataDir)
  ensureDirectory(dataDir)
  const configured = configuration(options, dataDir)
  const embedded = {
    postgres: configured.databaseUrl === undefined,
    localnet: configured.rpcUrl === undefined && options.needsChain !== false,
  }
  const isServer = options.purpose === "server"
  const unlock = isServer && (embedded.postgres || embedded.localnet) ? lockForServer(dataDir) : () => {}
  const running = embeddedServices(options, dataDir)
  try {
    const starting = [
      embedded.postgres && sayWhenSlow("the embedded Postgres", running.startPostgres()),
      embedded.localnet && sayWhenSlow("the local Solana network", running.startLocalnet()),
    ]
    const outcomes = await Promise.allSettled(starting)
    for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason
  } catch (error) {
    await running.stop()
    unlock()
    throw error
  }

  const databaseUrl = configured.databaseUrl ?? running.postgres()!.url
  const rpcUrl = configured.rpcUrl ?? running.localnet()?.url ?? `http://127.0.0.1:${options.localnetPort}`
  if (isServer) announce(dataDir, { ...locks.ourselves(), origin: options.origin, databaseUrl, rpcUrl, embedded })
  let stopping: Promise<void> | undefined
  return {
    databaseUrl,
    rpcUrl,
    embedded,
    stop: () => {
      stopping ??= running.stop().finally(() => {
        if (isServer) withdraw(dataDir)
        unlock()
      })
      return stopping
    },
  }
}

function ensureDirectory(dataDir: string): void {
  try {
    makeDirectory(dataDir)
    // For root, the permissions say too little: below /proc and on read-only mounts no file can be created.
    rmdirSync(mkdtempSync(join(dataDir, "writable-")))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw startupError(error, dataDir)
    throw new Error(
      `VOUCH_DATA_DIR: cannot create files in ${dataDir}. Set it to a directory that this user can write to.`,
      { cause: error },
    )
  }
}

/** Creates the parents too. Node's `recursive` loops forever below /proc, where a parent takes no directory. */
function makeDirectory(path: string): void {
  const known = statSync(path, { throwIfNoEntry: false })
  if (known?.isDirectory()) return
  if (!known && dirname(path) !== path) makeDirectory(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process may have been faster.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error
  }
}

/** What the operator configured. A command also uses the running server's configuration. */
function configuration({ databaseUrl, rpcUrl, purpose }: ServicesOptions, dataDir: string) {
  const server = purpose === "cli" ? runningServer(dataDir) : undefined
  return {
    databaseUrl: databaseUrl ?? (server?.embedded.postgres === false ? server.databaseUrl : undefined),
    rpcUrl: rpcUrl ?? (server?.embedded.localnet === false ? server.rpcUrl : undefined),
  }
}

function lockForServer(dataDir: string): () => void {
  const lock = join(dataDir, "server.lock")
  const holder = locks.takeLock(lock)
  if (holder) {
    throw new Error(
      `Another Vouch server (pid ${holder.pid}) uses ${dataDir}. Stop it, or give this one ` +
        "its own VOUCH_DATA_DIR, PORT and VOUCH_LOCALNET_PORT. To run several on one database, " +
        "set DATABASE_URL and SOLANA_RPC_URL.",
    )
  }
  return () => locks.releaseLock(lock)
}

/** The embedded services of this process, supervised, and their orderly shutdown. */
function embeddedServices(options: ServicesOptions, dataDir: string) {
  const { log, durable = true } = options
  const leases = join(dataDir, "leases")
  const withPostgres = <T>(work: () => Promise<T>) => locks.withMutex(join(dataDir, "postgres.lock"), work)
  const withLocalnet = <T>(work: () => Promise<T>) => locks.withMutex(join(dataDir, "localnet.lock"), work)
  let postgres: Supervised<RunningPostgres> | undefined
  let localnet: Supervised<RunningLocalnet> | undefined
  let lease: string | undefined
  // The address stays the same over restarts, even if the system chose the port.
  let port = options.localnetPort

  return {
    postgres: () => postgres?.current,
    localnet: () => localnet?.current,

    async startPostgres(): Promise<void> {
      const start = () => withPostgres(() => startPostgres({ dataDir, durable, log }))
      await withPostgres(async () => {
        lease = locks.takeLease(leases)
      })
      postgres = await supervise("The embedded Postgres", start, log)
    },

    async startLocalnet(): Promise<void> {
      const { localnetSlotMs: slotMs, localnetFaults: allowFaults } = options
      const start = () => withLocalnet(() => startLocalnet({ dataDir, port, slotMs, allowFaults }))
      localnet = await supervise("The local Solana network", start, log)
      port = Number(new URL(localnet.current.url).port)
    },

    async stop(): Promise<void> {
      await Promise.all([postgres?.release(), localnet?.release()])
      await localnet?.current.stop()
      await withPostgres(async () => {
        if (lease && locks.returnLease(lease)) await postgres?.current.stop()
      })
    },
  }
}

function announce(dataDir: string, announcement: Announcement): void {
  locks.writeJson(join(dataDir, "services.json"), announcement)
}

function withdraw(dataDir: string): void {
  const file = join(dataDir, "services.json")
  if (locks.readJson<Announcement>(file)?.pid === process.pid) rmSync(file, { force: true })
}
