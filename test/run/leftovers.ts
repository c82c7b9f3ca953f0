import { existsSync, readdirSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { type Holder, isAlive, readJson } from "#server/embedded/lock.ts"
import { endOrphans, runningPostmaster } from "#server/embedded/postmaster.ts"
import { commandLine, signal, startMark } from "#server/embedded/process.ts"
import { removeSocketDirectory } from "#server/embedded/socket.ts"
import { sayWhenSlow } from "#server/lib/say-when-slow.ts"

export const prefix = "vouch-test-"

type Waiting = {
  /** The time that a server may take to end. */
  waitMs?: number
  say?: (line: string) => void
}

/** Cleans up after killed runs. Their directories have their pids in their names, and their servers may still run. */
export async function clearLeftovers({ folder = tmpdir(), ...waiting }: { folder?: string } & Waiting = {}) {
  for (const name of readdirSync(folder)) {
    const [, pid] = new RegExp(`^${prefix}(\\d+)-`).exec(name) ?? []
    if (pid === undefined || startMark(Number(pid)) !== undefined) continue
    await endServers(join(folder, name), waiting)
    try {
      rmSync(join(folder, name), { recursive: true, force: true })
    } catch {
      // Another run may remove it at the same time.
    }
  }
}

async function endServers(dataDir: string, waiting: Waiting): Promise<void> {
  // The server first, because it would restart its Postgres.
  const server = readJson<Holder>(join(dataDir, "server.lock"))
  if (server && isAlive(server)) await end(server.pid, "SIGTERM", dataDir, waiting)
  if (!existsSync(join(dataDir, "postgres"))) return
  const cluster = realpathSync(join(dataDir, "postgres"))
  const postmaster = runningPostmaster(cluster)
  if (postmaster) {
    // For Postgres, SIGINT is a fast shutdown.
    await end(postmaster.pid, "SIGINT", dataDir, waiting)
    removeSocketDirectory(postmaster.socketDirectory)
  }
  endOrphans(cluster)
}

/** Ends a server. Says which one it waits for, and throws if it does not end. */
async function end(
  pid: number,
  name: NodeJS.Signals,
  dataDir: string,
  { waitMs = 30_000, ...options }: Waiting,
): Promise<void> {
  const mark = startMark(pid)
  const ended = () => mark === undefined || startMark(pid) !== mark
  const what = `a server of a killed test run to end: pid ${pid}, ${commandLine(pid).join(" ")}, in ${dataDir}. End it with: kill -9 ${pid}`
  const giveUpAt = performance.now() + waitMs
  signal(pid, name)
  const wait = async () => {
    while (!ended()) {
      if (performance.now() >= giveUpAt) throw new Error(`Waited ${waitMs / 1000} s for ${what}`)
      await sleep(20)
    }
  }
  await sayWhenSlow(what, wait(), options)
}
