import { residentMemory } from "./process-figures.ts"
import type { Server, Stage } from "./stage.ts"

const CONNECTIONS = 32
const SAMPLE_EVERY_MS = 100

export type Memory = {
  requests: number
  start_mb: number
  peak_mb: number
  end_mb: number
  samples_mb: number[]
}

/**
 * Resident memory of the real server, with its pages loaded, while it answers requests of every kind. The peak is the
 * kernel's high-water mark since the process started, so no sample can miss it.
 */
export async function measureMemory(stage: Stage, server: Server, requests: number): Promise<Memory | null> {
  const start = residentMemory(server.pid)
  if (start === null) return null
  const samples_mb: number[] = []
  const timer = setInterval(() => samples_mb.push(residentMemory(server.pid)?.now_mb ?? Number.NaN), SAMPLE_EVERY_MS)
  try {
    const order = { port: server.port, traffic: "mixed", connections: CONNECTIONS, warmup_ms: 0 } as const
    const { answers, unexpected } = await stage.load({ ...order, until: { requests } })
    const refused = Object.values(unexpected).reduce((sum, n) => sum + n, 0)
    if (answers < requests || refused > 0) {
      throw new Error(`${answers} of ${requests} requests answered: ${JSON.stringify(unexpected)}`)
    }
  } finally {
    clearInterval(timer)
  }
  const end = residentMemory(server.pid)!
  return { requests, start_mb: start.now_mb, peak_mb: end.peak_mb, end_mb: end.now_mb, samples_mb }
}
