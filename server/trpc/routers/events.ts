import { z } from "zod"
import { searchEvents, viewEvent } from "#server/dashboard/events.ts"
import { eventRecord } from "#server/domain/events/event-record.ts"
import { listEvents } from "#server/domain/events/list.ts"
import { createdSpan, instant, page, wholeNumber } from "#server/lib/fields.ts"
import { memberProcedure, procedure, router } from "#server/trpc/trpc.ts"
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
          "Returns what happened in the workspace, oldest first. Each event has the next sequence number: send the last one that you have as `after`, and you miss nothing. To begin, leave `after` out and read from the oldest event that is kept, or send `last_sequence` to read only what happens from now on. Events are kept for 90 days; if some after `after` are gone, that is 410 `events_expired`. They name what they are about, and contain nothing personal.",
      },
    })
    .input(
      z.object({
        after: wholeNumber(0, Number.MAX_SAFE_INTEGER).optional().meta({
          description:
            "The last sequence number that you have; 0 stands for the one before the workspace's first event. Without it, from the oldest event that is kept",
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

  /** For people: newest first, by what it is about. */
  search: memberProcedure
    .meta({ scope: "events:read" })
    .input(
      z.object({
        about: z.string().min(1).max(100).optional(),
        type: z.enum(allEventTypes).optional(),
        from: instant.optional(),
        to: instant.optional(),
        ...page,
      }),
    )
    .query(({ ctx, input }) =>
      searchEvents(ctx.principal.workspaceId, {
        about: input.about ?? null,
        type: input.type ?? null,
        from: input.from ?? null,
        to: input.to ?? null,
        limit: input.limit,
        cursor: input.cursor ?? null,
      }),
    ),

  view: memberProcedure
    .meta({ scope: "events:read" })
    .input(z.object({ id: z.string().max(100) }))
    .query(({ ctx, input }) => viewEvent(ctx.principal, input.id)),
})
