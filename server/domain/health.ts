import { z } from "zod"
import { healthReads, refreshConnections } from "#db/client.ts"
import { clockDoubt } from "#db/clock.ts"
import { version } from "#server/lib/version.ts"

/** How long a worker may be silent before it counts as gone. */
const WORKER_SILENT_SECONDS = 15
const DATABASE_TIMEOUT_MS = 2000
/** How old an answer may be. */
const FRESH_MS = 1000

export const healthRecord = z
  .object({
    status: z.enum(["ok", "degraded"]).meta({ description: "`ok` when every check is `ok`", example: "ok" }),
    version: z.string().meta({ description: "Server version", example: "0.1.0" }),
    checks: z.object({
      database: z.string().meta({ example: "ok" }),
      chain: z.string().meta({ example: "ok" }),
      worker: z.string().meta({ example: "ok" }),
    }),
  })
  .meta({ id: "Health" })

type Health = z.infer<typeof healthRecord>

type Found = { readOnly: boolean; workers: { trouble: string | null }[] }

/** What the database says of itself, and every living worker of itself. Rejects when there is no answer in time. */
async function ask(): Promise<Found> {
  // By the database's clock on both sides: whose else is wrong does not matter here.
  const question = healthReads<{ read_only: boolean; workers: { trouble: string | null }[] | null }[]>`
    select current_setting('transaction_read_only') = 'on' as read_only,
      (select json_agg(json_build_object('trouble', trouble)) from workers
        where seen_at > now() - ${WORKER_SILENT_SECONDS}::int * interval '1 second') as workers`
  const { promise: silence, reject } = Promise.withResolvers<never>()
  // It is not cancelled: nothing waits for it any more, and the connection is closed if it stays silent.
  const timeout = setTimeout(reject, DATABASE_TIMEOUT_MS, new Error("the database does not respond"))
  try {
    const [row] = await Promise.race([question, silence])
    return { readOnly: row!.read_only, workers: row!.workers ?? [] }
  } finally {
    clearTimeout(timeout)
  }
}

async function examine(): Promise<Health> {
  const found = await ask().catch(() => null)
  if (found === null) return degraded({ database: "not reachable", chain: "unknown", worker: "unknown" })
  const { readOnly, workers } = found
  // A standby, after a failover: new connections find the primary if the address leads there.
  if (readOnly) refreshConnections("the database is read-only")
  const trouble = workers.find((worker) => worker.trouble !== null)?.trouble ?? "ok"
  const checks = {
    database: readOnly ? "read-only" : "ok",
    chain: workers.length > 0 ? trouble : "unknown",
    worker: clockDoubt() ?? (workers.length > 0 ? "ok" : "no worker has reported recently"),
  }
  const isWell = Object.values(checks).every((check) => check === "ok")
  return isWell ? { status: "ok", version, checks } : degraded(checks)
}

const degraded = (checks: Health["checks"]): Health => ({ status: "degraded", version, checks })

let known: { health: Health; at_ms: number } | null = null
let asking: Promise<Health> | null = null

/**
 * The service's health, at most a second old: the database is queried at most once a second. Never throws: an
 * unreachable database is part of the result.
 */
export function readHealth(): Promise<Health> {
  if (known && performance.now() - known.at_ms < FRESH_MS) return Promise.resolve(known.health)
  asking ??= examine().then((health) => {
    known = { health, at_ms: performance.now() }
    asking = null
    return health
  })
  return asking
}
