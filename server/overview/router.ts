import { z } from "zod"
import { latestAttestations } from "#server/attestations/search.ts"
import { readHealth } from "#server/health.ts"
import { procedure, router } from "#server/trpc.ts"
import { readUsage } from "#server/usage/read.ts"
import { readFigures } from "./figures.ts"
import { readIssuer } from "./issuer.ts"
import { latestOperations } from "./operations.ts"

const LATEST = 8

export const overviewRouter = router({
  /** All of the first page at once. */
  get: procedure
    .meta({ scope: "attestation:read" })
    .input(z.object({}))
    .query(async ({ ctx }) => {
      const { workspaceId, mode } = ctx.principal
      const [quota, figures, attestations, operations, issuer, health] = await Promise.all([
        readUsage(workspaceId),
        readFigures(workspaceId),
        latestAttestations(workspaceId, LATEST),
        latestOperations(workspaceId, LATEST),
        readIssuer(mode),
        readHealth(),
      ])
      return { quota, figures, attestations, operations, issuer, health }
    }),
})
