import { randomBytes } from "node:crypto"
import { linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { startMark } from "./process.ts"

/** A process. `mark` distinguishes it from a later process with the same pid. */
export type Holder = { pid: number; mark: string }

export const ourselves = (): Holder => ({ pid: process.pid, mark: startMark(process.pid) ?? "" })

export const isAlive = ({ pid, mark }: Holder): boolean => startMark(pid) === mark

/** Resolves when a process has ended, which emits no event if it is not our child. */
export async function ended(holder: Holder): Promise<void> {
  while (isAlive(holder)) await sleep(50, undefined, { ref: false })
}

/** Takes a lock file, even if a dead process still holds it. Returns the holder if that is another live process. */
export function takeLock(path: string): Holder | undefined {
  const draft = `${path}.${process.pid}`
  for (;;) {
    // A hard link creates the file with its content in one step, so no one reads a lock without its holder.
    writeFileSync(draft, JSON.stringify(ourselves()), { mode: 0o600 })
    try {
      linkSync(draft, path)
      return undefined
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
    } finally {
      rmSync(draft, { force: true })
    }
    const holder = readJson<Holder>(path)
    if (holder && isAlive(holder)) return holder
    setAside(path)
  }
}

/** If two processes find the same dead holder, the second must not remove the first one's new lock. */
function setAside(path: string): void {
  const aside = `${path}.dead.${process.pid}`
  try {
    renameSync(path, aside)
    const moved = readJson<Holder>(aside)
    if (moved && isAlive(moved)) linkSync(aside, path)
  } catch {
    // Another process was faster. The next attempt sees the result.
  } finally {
    rmSync(aside, { force: true })
  }
}

export function releaseLock(path: string): void {
  if (readJson<Holder>(path)?.pid === process.pid) rmSync(path, { force: true })
}

const queues = new Map<string, Promise<unknown>>()

/** Runs `work` while no other process, and no other call in this process, does so under the same path. */
export function withMutex<T>(path: string, work: () => Promise<T>): Promise<T> {
  const turn = (queues.get(path) ?? Promise.resolve()).then(async () => {
    while (takeLock(path)) await sleep(20)
    try {
      return await work()
    } finally {
      releaseLock(path)
    }
  })
  queues.set(
    path,
    turn.catch(() => {}),
  )
  return turn
}

/** Marks this process as a user of the services of `directory`, until `returnLease` or its death. */
export function takeLease(directory: string): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const lease = join(directory, `${process.pid}-${randomBytes(4).toString("hex")}.json`)
  writeJson(lease, ourselves())
  return lease
}

/** Ends a lease. Returns true if no other living process has one: the last process stops the services. */
export function returnLease(lease: string): boolean {
  rmSync(lease, { force: true })
  const directory = dirname(lease)
  const others = readdirSync(directory).filter((name) => {
    const holder = readJson<Holder>(join(directory, name))
    const alive = holder !== undefined && isAlive(holder)
    if (!alive) rmSync(join(directory, name), { force: true })
    return alive
  })
  return others.length === 0
}

export function readJson<T>(path: string): T | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as T
  } catch {
    return undefined
  }
}

/** Replaces the file in one step, readable by its owner only. */
export function writeJson(path: string, value: unknown): void {
  const draft = `${path}.${process.pid}.new`
  writeFileSync(draft, JSON.stringify(value), { mode: 0o600 })
  renameSync(draft, path)
}
