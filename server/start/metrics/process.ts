import { monitorEventLoopDelay, performance } from "node:perf_hooks"
import type { Gauge } from "#server/lib/metrics.ts"

/** Resolution of delays, in milliseconds. */
const RESOLUTION_MS = 20

/** Metrics of every process, named as in Prometheus' client libraries. `stop` ends the measuring of delays. */
export function processFigures(): { gauges: Gauge[]; stop(): void } {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  const gauges: Gauge[] = [
    {
      name: "process_cpu_seconds_total",
      help: "Processor time of this process",
      type: "counter",
      read: () => {
        const { user, system } = process.cpuUsage()
        return [[[], (user + system) / 1e6]]
      },
    },
    {
      name: "process_resident_memory_bytes",
      help: "Resident memory",
      read: () => [[[], process.memoryUsage.rss()]],
    },
    {
      name: "process_start_time_seconds",
      help: "When this process started, in seconds since 1970",
      read: () => [[[], performance.timeOrigin / 1000]],
    },
    {
      name: "nodejs_heap_size_used_bytes",
      help: "Heap in use",
      read: () => [[[], process.memoryUsage().heapUsed]],
    },
    {
      name: "nodejs_eventloop_active_seconds_total",
      help: "Time the event loop was busy: at one second per second it is saturated",
      type: "counter",
      read: () => [[[], performance.eventLoopUtilization().active / 1000]],
    },
    {
      name: "nodejs_eventloop_delay_max_seconds",
      help: "Longest delay of the event loop since the last scrape",
      read: () => {
        const { max } = delays
        delays.reset()
        return [[[], max > 0 ? Math.max(0, max / 1e9 - RESOLUTION_MS / 1000) : 0]]
      },
    },
  ]
  return { gauges, stop: () => void delays.disable() }
}
