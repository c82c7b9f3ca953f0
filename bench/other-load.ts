import { cpus } from "node:os"
import { cpuSecondsOfFamily } from "./process-figures.ts"

/**
 * Starts to measure the processor time that other processes take. Returns a function that returns their share of the
 * machine since then, from 0 to 1; null without /proc.
 */
export function watchOtherLoad(): () => number | null {
  const before = { machine: machineSeconds(), own: cpuSecondsOfFamily(process.pid) }
  return () => {
    const own = cpuSecondsOfFamily(process.pid)
    if (own === null || before.own === null) return null
    const { busy, all } = machineSeconds()
    const busySince = busy - before.machine.busy
    return Math.max(0, busySince - (own - before.own)) / (all - before.machine.all)
  }
}

/** The time that all processors were busy, and their whole time, in seconds. */
function machineSeconds(): { busy: number; all: number } {
  const times = cpus().map(({ times }) => times)
  const all = times.flatMap((one) => Object.values(one)).reduce((sum, ms) => sum + ms, 0) / 1000
  return { busy: all - times.reduce((sum, { idle }) => sum + idle, 0) / 1000, all }
}
