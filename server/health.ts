import { z } from "zod"
import { cancelStatement, sql } from "#db/client.ts"
import { clockDoubt } from "./database-clock.ts"
import { addSeconds, clock } from "./time.ts"
import { openProcedure, router } from "./trpc.ts"
import { version } from "./version.ts"

/** How long a worker may be silent before it counts as gone. */
const WORKER_SILENT_SECONDS = 15
const DATABASE_TIMEOUT_MS = 2000

const healthRecord = z
  .object({
    status: z.enum(["ok", "degraded"]).meta({ description: "`ok` when every check is", example: "ok" }),
    version: z.string().meta({ description: "Version of the server", example: "0.1.0" }),
    checks: z.object({
      database: z.string().meta({ example: "ok" }),
      chain: z.string().meta({ example: "ok" }),
      worker: z.string().meta({ example: "ok" }),
    }),
  })
  .meta({ id: "Health" })

type Health = z.infer<typeof healthRecord>

/** What every living worker says of itself. Rejects when the database does not answer in time. */
async function readWorkers(): Promise<{ trouble: string | null }[]> {
  const since = addSeconds(clock.now(), -WORKER_SILENT_SECONDS)
  const query = sql<{ trouble: string | null }[]>`select trouble from workers where seen_at > ${since}`
  const { promise: silence, reject } = Promise.withResolvers<never>()
  const timeout = setTimeout(() => {
    cancelStatement(query)
    reject(new Error("the database does not answer"))
  }, DATABASE_TIMEOUT_MS)
  try {
    return await Promise.race([query, silence])
  } finally {
    clearTimeout(timeout)
  }
}

/** How the service is. Never throws: without a database, that is the answer. */
export async function readHealth(): Promise<Health> {
  try {
    const workers = await readWorkers()
    const trouble = workers.find((worker) => worker.trouble !== null)?.trouble ?? "ok"
    const checks = {
      database: "ok",
      chain: workers.length > 0 ? trouble : "unknown",
      worker: clockDoubt() ?? (workers.length > 0 ? "ok" : "no worker has reported lately"),
    }
    return {
      status: Object.values(checks).every((check) => check === "ok") ? "ok" : "degraded",
      version,
      checks,
    }
  } catch {
    const checks = { database: "not reachable", chain: "unknown", worker: "unknown" }
    return { status: "degraded", version, checks }
  }
}

export const healthRouter = router({
  get: openProcedure
    .meta({
      open: true,
      openapi: {
        method: "GET",
        path: "/health",
        tags: ["Health"],
        summary: "Read how the service is",
        description: "503 with the same body when the database is gone.",
      },
    })
    .input(z.object({}))
    .output(healthRecord)
    .query(async ({ ctx }) => {
      const health = await readHealth()
      if (health.checks.database !== "ok") ctx.answer.status = 503
      return health
    }),
})
