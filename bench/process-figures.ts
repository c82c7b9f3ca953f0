import { readFileSync } from "node:fs"

/** Linux counts a process's time in ticks of 10 ms. */
const TICKS_PER_SECOND = 100

/** CPU time that all threads of a process have taken, in seconds; null where there is no /proc. */
export function cpuSeconds(pid: number): number | null {
  const stat = read(pid, "stat")
  if (stat === null) return null
  // The second field is the program's name in parentheses and may hold anything, so count from its end.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** Resident memory now, and the most there ever was, in MB (10^6 bytes); null where there is no /proc. */
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
