import { z } from "zod"
import { cursorPattern, eventCursor, eventRecord, listEvents } from "#domain/events"
import { eventSearch, searchEvents, viewEvent } from "#server/dashboard/events.ts"
import { createdSpan, wholeNumber } from "#server/lib/fields.ts"
import { endpointsIn, memberWith, router } from "#server/trpc/trpc.ts"
import { fail } from "#shared/errors.ts"
import { allEventTypes } from "#shared/event-types.ts"

const { endpoint } = endpointsIn("Events")

/** The events of a workspace, numbered without a gap. */
export const eventRouter = router({
  list: endpoint("GET /events", {
    scope: "events:read",
    fails: ["events_expired", "events_rewound"],
    summary: "List events",
    description:
      "Returns what happened in the workspace, oldest first. Each event has the next sequence number. Send the `cursor` of the last event that you have, so that you miss nothing. To start, leave `cursor` out to read from the oldest event kept, or send `last_cursor` to read only new events. Events are kept for 90 days; if events after yours were deleted, the response is 410 `events_expired`. If a failover or a restore of the database lost your last event, the response is 410 `events_rewound`: continue with the cursor in the header `Resume-Cursor`, and ignore events whose `id` you have. Events name what they are about and contain nothing personal.",
    input: z.object({
      after: wholeNumber(0, Number.MAX_SAFE_INTEGER).optional().meta({
        description:
          "The last sequence number that you have, or 0 before the workspace's first event. Without it and without `cursor`, the list starts at the oldest event kept. After a failover, another event may have the number of a lost one, which a number alone cannot reveal: send `cursor` instead",
        example: 41,
      }),
      cursor: eventCursor.optional().meta({
        description:
          "The `cursor` of the last event that you have, instead of `after`. It also detects that the database has lost that event",
        example: "41-9f3a61c0d7e4",
      }),
      type: z.enum(allEventTypes).optional().meta({ description: "Only events of this type" }),
      ...createdSpan,
      limit: wholeNumber(1, 1000).default(100).meta({ description: "Maximum number of events" }),
    }),
    output: z
      .object({
        data: z.array(eventRecord),
        last_sequence: z.number().int().meta({
          description: "Sequence number of the workspace's latest event; 0 before the first",
          example: 42,
        }),
        last_cursor: z.string().regex(cursorPattern).meta({
          description: "Cursor of the workspace's latest event; `0` before the first",
          example: "42-9f3a61c0d7e4",
        }),
      })
      .meta({ id: "EventList" }),
  }).query(({ ctx, input }) => {
    const { after, cursor } = input
    if (cursor !== undefined && after !== undefined)
      fail("validation_failed", "after: cannot be combined with cursor. Send cursor alone.")
    return listEvents(ctx.principal.workspaceId, {
      position: cursor !== undefined ? { cursor } : after !== undefined ? { after } : null,
      type: input.type ?? null,
      times: { after: input.created_after ?? null, before: input.created_before ?? null },
      limit: input.limit,
    })
  }),

  /** For people: newest first, filtered by subject. */
  search: memberWith("events:read")
    .input(eventSearch)
    .query(({ ctx, input }) => searchEvents(ctx.principal, input)),

  view: memberWith("events:read")
    .input(z.object({ id: z.string().max(100) }))
    .query(({ ctx, input }) => viewEvent(ctx.principal, input.id)),
})
