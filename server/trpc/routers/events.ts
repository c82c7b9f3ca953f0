import { z } from "zod"
import { eventRecord } from "#server/domain/events/event-record.ts"
import { listEvents } from "#server/domain/events/list.ts"
import { createdSpan, wholeNumber } from "#server/lib/fields.ts"
import { procedure, router } from "#server/trpc/trpc.ts"
import { allEventTypes } from "#shared/event-types.ts"

/** What happened in a workspace, in a sequence without a gap. */
export const eventRouter = router({
  list: procedure
    .meta({
      scope: "events:read",
      fails: ["events_expired"],
      openapi: {
        method: "GET",
        path: "/events",
        tags: ["Events"],
        summary: "List events",
        description:
          "Returns what happened in the workspace, oldest first. Each event has the next sequence number: send the last one that you have as `after`, and you miss nothing. Events are kept for 90 days. They name what they are about, and contain nothing personal.",
      },
    })
    .input(
      z.object({
        after: wholeNumber(0, Number.MAX_SAFE_INTEGER).optional().meta({
          description:
            "The last sequence number that you have; without it, from the first event that is kept",
          example: 41,
        }),
        type: z.enum(allEventTypes).optional().meta({ description: "Only events of this type" }),
        ...createdSpan,
        limit: wholeNumber(1, 1000).default(100).meta({ description: "Maximum number of events" }),
      }),
    )
    .output(
      z
        .object({
          data: z.array(eventRecord),
          last_sequence: z.number().int().meta({
            description: "Sequence number of the workspace's latest event; 0 before the first",
            example: 42,
          }),
        })
        .meta({ id: "EventList" }),
    )
    .query(({ ctx, input }) =>
      listEvents(ctx.principal.workspaceId, {
        after: input.after ?? null,
        type: input.type ?? null,
        times: { after: input.created_after ?? null, before: input.created_before ?? null },
        limit: input.limit,
      }),
    ),
})
