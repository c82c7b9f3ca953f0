import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"

/** Says which process the directory belongs to, for a message that a person can act on. */
export class DirectoryInUse extends Error {}

type Holder = { pid: number; started: string | null }

/**
 * Takes the lock, also from a holder that is dead (a killed localnet leaves its file). Returns what releases it.
 * A pid alone could be another process's by now, so the time when the process started is compared as well.
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
  throw new DirectoryInUse(`others keep taking the lock ${path}`)
}

/** Two that find the same stale lock must not both remove one: the second could remove the first's new lock. */
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

/** When a process started, in clock ticks since boot (field 22 of /proc/pid/stat), or null where there is no /proc. */
function startOf(pid: number): string | null {
  const stat = readText(`/proc/${pid}/stat`)
  // The second field, a name in parentheses, may itself hold spaces.
  return stat === null ? null : (stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null)
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return null
  }
}
