import { deployment } from "#domain/deployment"
import { healthForStrangers, healthRecord, readHealth } from "#domain/health"
import { endpointsIn, router } from "../trpc.ts"

export const healthRouter = router({
  get: endpointsIn("Health")
    .openEndpoint("GET /health", {
      knowsKeys: true,
      summary: "Get the service's health",
      description:
        "503 with the same body when the database is unreachable. Without a valid API key, a server with a public URL returns a short report: `status`, `version` and `checks`, in which most problems are only `degraded`. Send an API key for the full report.",
      output: healthRecord,
    })
    .query(async ({ ctx }) => {
      const health = await readHealth()
      if (health.checks.database !== "ok") ctx.answer.status = 503
      return deployment.isPublic && ctx.principal === null && ctx.user === null ? healthForStrangers(health) : health
    }),
})
