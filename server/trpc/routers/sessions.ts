import { z } from "zod"
import { listSessions } from "#server/dashboard/sessions.ts"
import { page } from "#server/lib/fields.ts"
import { procedure, router } from "#server/trpc/trpc.ts"

/** Sessions as the dashboard lists them. They are started by `kyc.start`, as over REST. */
export const sessionRouter = router({
  list: procedure
    .meta({ scope: "attestation:read" })
    .input(z.object({ state: z.enum(["open", "closed"]).default("open"), cursor: page.cursor }))
    .query(({ ctx, input }) => listSessions(ctx.principal, input)),
})
