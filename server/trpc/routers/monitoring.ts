import { z } from "zod"
import { changePolicies } from "#domain/screening"
import { readMonitoring } from "#server/dashboard/monitoring.ts"
import { memberProcedure, memberWith, router } from "#server/trpc/trpc.ts"
import { type PolicyChoice, type PolicyName, policies } from "#shared/monitoring.ts"

const choiceOf = <Name extends PolicyName>(name: Name) =>
  z.enum(Object.keys(policies[name].choices) as PolicyChoice<Name>[]).optional()

export const monitoringRouter = router({
  get: memberProcedure.input(z.object({})).query(({ ctx }) => readMonitoring(ctx.principal.workspaceId)),

  change: memberWith("review:write")
    .input(
      z.strictObject({
        wallet_listed: choiceOf("wallet_listed"),
        watchlist_match: choiceOf("watchlist_match"),
        case_opened: choiceOf("case_opened"),
        person_deactivated: choiceOf("person_deactivated"),
        data_deleted: choiceOf("data_deleted"),
      }),
    )
    .mutation(({ ctx, input }) => changePolicies({ ...ctx, changes: input })),
})
