import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"

/** Names the process that uses the directory, so that a person can act on the message. */
export class DirectoryInUse extends Error {}

type Holder = { pid: number; started: string | null }

/**
 * Takes the lock, also from a dead holder: a killed network leaves its file. Returns the function that releases it. The
 * holder's pid may belong to another process now, so the process's start time is compared as well.
 */
export function takeLock(path: string): () => void {
  const mine = JSON.stringify({ pid: process.pid, started: startOf(process.pid) } satisfies Holder)
  for (let attempt = 0; attempt < 10; attempt++) {
    try {
      writeFileSync(path, mine, { flag: "wx", mode: 0o600 })
      return () => rmSync(path, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
    }
    const text = readText(path)
    if (text === null) continue
    const holder = parseHolder(text)
    if (holder !== null && isAlive(holder))
      throw new DirectoryInUse(`the data directory is in use by process ${holder.pid} (${path})`)
    removeStale(path, text)
  }
  throw new DirectoryInUse(`other processes keep taking the lock ${path}`)
}

/** If two processes find the same stale lock, the second must not remove the first one's new lock. */
function removeStale(path: string, text: string) {
  const aside = `${path}.stale.${process.pid}`
  try {
    renameSync(path, aside)
  } catch {
    return
  }
  if (readText(aside) !== text) renameSync(aside, path)
  else rmSync(aside, { force: true })
}

function parseHolder(text: string): Holder | null {
  try {
    const holder = JSON.parse(text) as Holder
    return typeof holder.pid === "number" ? holder : null
  } catch {
    return null
  }
}

function isAlive({ pid, started }: Holder): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false
  }
  const startedNow = startOf(pid)
  return started === null || startedNow === null || started === startedNow
}

/** When a process started, in clock ticks since boot (field 22 of /proc/pid/stat). Null without /proc. */
function startOf(pid: number): string | null {
  const stat = readText(`/proc/${pid}/stat`)
  // The second field, a name in parentheses, may contain spaces.
  return stat === null ? null : (stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null)
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return null
  }
}
