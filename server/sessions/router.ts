import { z } from "zod"
import { page } from "#server/rest/fields.ts"
import { procedure, router } from "#server/trpc.ts"
import { listSessions } from "./list.ts"

/** Sessions as the dashboard lists them. They are started by `kyc.start`, as over REST. */
export const sessionRouter = router({
  list: procedure
    .meta({ scope: "attestation:read" })
    .input(z.object({ state: z.enum(["open", "closed"]).default("open"), cursor: page.cursor }))
    .query(({ ctx, input }) => listSessions(ctx.principal, input)),
})
