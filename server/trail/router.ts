import { z } from "zod"
import { listOf, page, timestamp } from "#server/rest/fields.ts"
import { memberProcedure, router } from "#server/trpc.ts"
import { listAuditEntries } from "./read.ts"

const actor = z.enum(["user", "key", "operator"])

const entry = z.object({
  entry: z.string(),
  at: timestamp,
  actor,
  actor_id: z.string().nullable(),
  actor_name: z.string(),
  action: z.string(),
  subject: z.string(),
  whole_account: z.boolean(),
  detail: z.record(z.string(), z.unknown()),
  request_id: z.string().nullable(),
})

/** The audit trail, for every member: whoever may change nothing may still see who did. */
export const auditRouter = router({
  list: memberProcedure
    .input(
      z.object({
        action: z.string().max(100).optional(),
        actor: actor.optional(),
        actor_id: z.string().max(100).optional(),
        subject: z.string().max(200).optional(),
        from: z.iso.datetime().optional(),
        to: z.iso.datetime().optional(),
        ...page,
      }),
    )
    .output(listOf(entry))
    .query(({ ctx, input }) =>
      listAuditEntries(ctx.principal.workspaceId, {
        action: input.action ?? null,
        actor: input.actor ?? null,
        actorId: input.actor_id ?? null,
        subject: input.subject ?? null,
        from: input.from === undefined ? null : new Date(input.from),
        to: input.to === undefined ? null : new Date(input.to),
        limit: input.limit,
        cursor: input.cursor ?? null,
      }),
    ),
})
