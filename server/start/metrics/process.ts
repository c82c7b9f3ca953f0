import { monitorEventLoopDelay, performance } from "node:perf_hooks"
import { type Family, gauge } from "#server/lib/metrics.ts"

/** Resolution of delays, in milliseconds. */
const RESOLUTION_MS = 20

/** Metrics of every process, named as in Prometheus' client libraries. `stop` ends the measuring of delays. */
export function processFigures(): { gauges: Family[]; stop(): void } {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  const processorSeconds = () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  }
  const longestDelay = () => {
    const { max } = delays
    delays.reset()
    return max > 0 ? Math.max(0, max / 1e9 - RESOLUTION_MS / 1000) : 0
  }
  const startHelp = "When this process started, in seconds since 1970"
  const activeHelp = "Time the event loop was busy: at one second per second it is saturated"
  const active = () => performance.eventLoopUtilization().active / 1000
  const gauges = [
    gauge("process_cpu_seconds_total", "Processor time of this process", processorSeconds, "counter"),
    gauge("process_resident_memory_bytes", "Resident memory", () => process.memoryUsage.rss()),
    gauge("process_start_time_seconds", startHelp, () => performance.timeOrigin / 1000),
    gauge("nodejs_heap_size_used_bytes", "Heap in use", () => process.memoryUsage().heapUsed),
    gauge("nodejs_eventloop_active_seconds_total", activeHelp, active, "counter"),
    gauge("nodejs_eventloop_delay_max_seconds", "Longest delay of the event loop since the last scrape", longestDelay),
  ]
  return { gauges, stop: () => void delays.disable() }
}
