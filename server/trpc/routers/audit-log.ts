import { auditFilter, readAuditProof } from "#domain/audit-log"
import { listAuditLog } from "#server/dashboard/audit-log/list.ts"
import { page } from "#server/lib/fields.ts"
import { memberProcedure, router } from "#server/trpc/trpc.ts"

/** The audit log, for every member, viewers included. */
export const auditRouter = router({
  list: memberProcedure.input(auditFilter.extend(page)).query(({ ctx, input }) => listAuditLog(ctx.principal, input)),
  /** How far it is anchored on chain. */
  proof: memberProcedure.query(({ ctx }) => readAuditProof(ctx.principal)),
})
