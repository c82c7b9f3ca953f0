import { z } from "zod"
import { readUsage } from "#domain/accounts"
import { latestAttestations } from "#domain/attestations"
import { readHealth } from "#domain/health"
import { readFigures } from "#server/dashboard/overview/figures.ts"
import { readIssuer } from "#server/dashboard/overview/issuer.ts"
import { latestOperations } from "#server/dashboard/overview/operations.ts"
import { readAttention, readExpiring, readLedgerState, readSetup } from "#server/dashboard/overview/state.ts"
import { procedure, router } from "#server/trpc/trpc.ts"

const LATEST = 8

export const overviewRouter = router({
  /** Everything on the overview page. */
  get: procedure
    .meta({ scope: "attestation:read" })
    .input(z.object({}))
    .query(async ({ ctx }) => {
      const { workspaceId, mode } = ctx.principal
      const [quota, figures, attestations, operations, issuer, health, ledger, expiring] = await Promise.all([
        readUsage(workspaceId),
        readFigures(workspaceId),
        latestAttestations(workspaceId, LATEST),
        latestOperations(workspaceId, LATEST),
        readIssuer(workspaceId, mode),
        readHealth(),
        readLedgerState(workspaceId),
        readExpiring(workspaceId),
      ])
      const [attention, setup] = await Promise.all([
        readAttention(ctx.principal, issuer),
        readSetup(ctx.principal, issuer),
      ])
      // Without the figures of health that count all accounts.
      return {
        quota,
        figures,
        attestations,
        operations,
        issuer,
        checks: health.checks,
        ledger,
        expiring,
        attention,
        setup,
      }
    }),
})
