import { execFileSync } from "node:child_process"
import { lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { type Holder, isAlive, readJson } from "#server/embedded/lock.ts"
import { sharedHome } from "#server/embedded/postgres-account.ts"
import { readPostmaster, runningPostmaster } from "#server/embedded/postmaster.ts"
import { commandLine, signal, startMark } from "#server/embedded/process.ts"
import type { Announcement } from "#server/embedded/services.ts"
import { removeSocketDirectory } from "#server/embedded/socket.ts"
import { socketOptions } from "#test/fixtures/socket-options.ts"

/** The directory of the database's files. The data directory may contain a link to another place. */
function clusterOf(dataDir: string): string | null {
  try {
    return realpathSync(join(dataDir, "postgres"))
  } catch {
    return null
  }
}

/** The live postmaster of a data directory. */
export function postmasterOf(dataDir: string): number | null {
  const cluster = clusterOf(dataDir)
  return cluster === null ? null : (runningPostmaster(cluster)?.pid ?? null)
}

/** The live local network of a data directory. */
export function localnetOf(dataDir: string): number | null {
  const holder = readJson<Holder>(join(dataDir, "localnet.json"))
  return holder && isAlive(holder) && commandLine(holder.pid).includes(join(dataDir, "localnet")) ? holder.pid : null
}

/** Children of a process, such as a postmaster's sessions and helpers. Linux only; empty elsewhere. */
export function childrenOf(parent: number): number[] {
  return allPids().filter((pid) => parentOf(pid) === parent)
}

function parentOf(pid: number): number | null {
  try {
    return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1])
  } catch {
    return null
  }
}

const isLinux = process.platform === "linux"

function allPids(): number[] {
  if (!isLinux) return []
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
}

/**
 * Every process with the data directory or its database in its arguments, or with the database as working directory.
 */
export function processesOf(dataDir: string): number[] {
  const cluster = clusterOf(dataDir) ?? join(dataDir, "postgres")
  const named = (text: string) => text.includes(dataDir) || text.includes(cluster)
  if (!isLinux) {
    const lines = execFileSync("ps", ["-axww", "-o", "pid=,command="], { encoding: "utf8" }).split("\n")
    return lines.filter((line) => named(line) && !line.includes("guard.ts")).map(Number.parseInt)
  }
  return allPids().filter((pid) => {
    if (pid === process.pid || startMark(pid) === undefined) return false
    const argv = commandLine(pid)
    if (argv.some((argument) => argument.endsWith("guard.ts"))) return false
    return argv.some(named) || workingDirectoryOf(pid) === cluster
  })
}

function workingDirectoryOf(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return null
  }
}

/** The database's address, from the database itself or else from the last server. */
function socketDirectoryOf(dataDir: string): string | undefined {
  const url = readJson<Announcement>(join(dataDir, "services.json"))?.databaseUrl
  return readPostmaster(join(dataDir, "postgres"))?.socketDirectory || (url && socketOptions(url).host)
}

/** Ends every process of a data directory, whatever its state, and removes the directory. */
export async function endAll(dataDir: string, holders: readonly Holder[]): Promise<void> {
  // Servers first: they would restart the services.
  for (const holder of holders) if (isAlive(holder)) signal(holder.pid, "SIGKILL")
  const cluster = clusterOf(dataDir)
  // An external database has its own socket.
  const socketDirectory = cluster === null ? undefined : socketDirectoryOf(dataDir)
  const postmaster = postmasterOf(dataDir)
  // An immediate shutdown ends the sessions too, and releases the shared memory.
  if (postmaster !== null) signal(postmaster, "SIGQUIT")
  for (let waits = 0; ; waits++) {
    const left = processesOf(dataDir)
    if (left.length === 0) break
    for (const pid of left)
      if (waits > 100 || commandLine(pid).includes(join(dataDir, "localnet"))) signal(pid, "SIGKILL")
    await sleep(50)
  }
  if (socketDirectory) {
    rmSync(join(socketDirectory, ".s.PGSQL.5432"), { force: true })
    rmSync(join(socketDirectory, ".s.PGSQL.5432.lock"), { force: true })
    removeSocketDirectory(socketDirectory)
  }
  const isLink = lstatSync(join(dataDir, "postgres"), { throwIfNoEntry: false })?.isSymbolicLink() ?? false
  if (isLink && cluster?.startsWith(`${sharedHome}/data-`)) rmSync(dirname(cluster), { recursive: true, force: true })
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 10 })
}
