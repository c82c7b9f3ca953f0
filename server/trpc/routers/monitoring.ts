import { z } from "zod"
import { changePolicies } from "#domain/screening"
import { readMonitoring } from "#server/dashboard/monitoring.ts"
import { memberProcedure, router } from "#server/trpc/trpc.ts"
import { type PolicyChoice, type PolicyName, policies } from "#shared/monitoring.ts"

const choiceOf = <Name extends PolicyName>(name: Name) =>
  z.enum(Object.keys(policies[name].choices) as PolicyChoice<Name>[]).optional()

export const monitoringRouter = router({
  get: memberProcedure.input(z.object({})).query(({ ctx }) => readMonitoring(ctx.principal.workspaceId)),

  change: memberProcedure
    .meta({ scope: "review:write" })
    .input(
      z.strictObject({
        wallet_listed: choiceOf("wallet_listed"),
        watchlist_match: choiceOf("watchlist_match"),
        case_opened: choiceOf("case_opened"),
        person_deactivated: choiceOf("person_deactivated"),
        data_deleted: choiceOf("data_deleted"),
      }),
    )
    .mutation(({ ctx: { principal, requestId }, input }) =>
      changePolicies({
        workspaceId: principal.workspaceId,
        author: { principal, requestId },
        changes: input,
      }),
    ),
})
