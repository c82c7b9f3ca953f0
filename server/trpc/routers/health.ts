import { z } from "zod"
import { healthRecord, readHealth } from "#server/domain/health.ts"
import { openProcedure, router } from "../trpc.ts"

export const healthRouter = router({
  get: openProcedure
    .meta({
      open: true,
      openapi: {
        method: "GET",
        path: "/health",
        tags: ["Health"],
        summary: "Get the service's health",
        description: "503 with the same body when the database is unreachable.",
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
