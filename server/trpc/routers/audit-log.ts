import { z } from "zod"
import { auditFilter, listAuditEntries } from "#domain/audit-log"
import { listOf, page, timestamp } from "#server/lib/fields.ts"
import { memberProcedure, router } from "#server/trpc/trpc.ts"

const entry = z.object({
  entry: z.string(),
  at: timestamp,
  actor: auditFilter.shape.actor.unwrap(),
  actor_id: z.string().nullable(),
  actor_name: z.string(),
  action: z.string(),
  subject: z.string(),
  subject_name: z.string().nullable(),
  whole_account: z.boolean(),
  detail: z.record(z.string(), z.unknown()),
  request_id: z.string().nullable(),
})

/** The audit log, for every member, viewers included. */
export const auditRouter = router({
  list: memberProcedure
    .input(auditFilter.extend(page))
    .output(listOf(entry))
    .query(({ ctx, input }) => listAuditEntries(ctx.principal.workspaceId, input)),
})
