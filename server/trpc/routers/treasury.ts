import { z } from "zod"
import * as treasury from "#domain/treasury"
import { endpointsIn, router } from "#server/trpc/trpc.ts"

const { endpoint } = endpointsIn("Treasury")

/** What the workspace pays distributions with. */
export const treasuryRouter = router({
  get: endpoint("GET /treasury", {
    scope: "token:read",
    fails: ["treasury_shared", "chain_not_configured", "chain_unavailable"],
    operationId: "getTreasury",
    summary: "Get the treasury",
    description:
      "Returns the address that pays for the workspace and, for each mint that the deployment pays with, the account to fund and its balance. Reads the chain now.",
    input: z.object({}),
    output: treasury.treasuryRecord,
  }).query(({ ctx }) => treasury.readTreasury(ctx.principal)),
})
