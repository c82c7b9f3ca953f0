import { z } from "zod"
import { readFigures } from "#server/dashboard/overview/figures.ts"
import { readIssuer } from "#server/dashboard/overview/issuer.ts"
import { latestOperations } from "#server/dashboard/overview/operations.ts"
import { readUsage } from "#server/domain/accounts/usage.ts"
import { latestAttestations } from "#server/domain/attestations/search.ts"
import { readHealth } from "#server/domain/health.ts"
import { procedure, router } from "#server/trpc/trpc.ts"

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
