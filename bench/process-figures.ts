import { readdirSync, readFileSync } from "node:fs"

/** Linux counts a process's time in ticks of 10 ms. */
const TICKS_PER_SECOND = 100

/** CPU time of all threads of a process, in seconds; null without /proc. */
export function cpuSeconds(pid: number): number | null {
  const fields = statistics(pid)
  return fields && (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** The same for a process with all of its children, including those that have ended. */
export function cpuSecondsOfFamily(pid: number): number | null {
  const fields = statistics(pid)
  if (fields === null) return null
  const own = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND
  const children = readdirSync("/proc").filter((name) => statistics(Number(name))?.[1] === String(pid))
  return children.reduce((sum, child) => sum + (cpuSecondsOfFamily(Number(child)) ?? 0), own)
}

/** The kernel's fields after a process's name: its state, its parent, … */
function statistics(pid: number): string[] | null {
  const stat = read(pid, "stat")
  // The name is in parentheses and may contain anything, so find the last one.
  return stat === null ? null : stat.slice(stat.lastIndexOf(")") + 2).split(" ")
}

/** Current and peak resident memory, in MB (10^6 bytes); null without /proc. */
export function residentMemory(pid: number): { now_mb: number; peak_mb: number } | null {
  const status = read(pid, "status")
  if (status === null) return null
  const megabytes = (name: string) =>
    (Number(new RegExp(`^${name}:\\s+([0-9]+) kB`, "m").exec(status)?.[1]) * 1024) / 1e6
  return { now_mb: megabytes("VmRSS"), peak_mb: megabytes("VmHWM") }
}

function read(pid: number, file: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8")
  } catch {
    return null
  }
}
