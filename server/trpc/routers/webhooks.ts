import { z } from "zod"
import { eventCursor } from "#domain/events"
import * as webhooks from "#domain/webhooks"
import { searchDeliveries, viewDelivery } from "#server/dashboard/deliveries.ts"
import { eventSearch } from "#server/dashboard/events.ts"
import { idOf, instant, listOf, page, wholeNumber } from "#server/lib/fields.ts"
import { nameText } from "#server/lib/text.ts"
import { toTimestamp } from "#server/lib/time.ts"
import { changeBy, endpointsIn, memberWith, router } from "#server/trpc/trpc.ts"
import { allEventTypes } from "#shared/event-types.ts"
import { answerWithin_s, deliveryStatuses, overlap_s } from "#shared/webhooks.ts"

const { endpoint } = endpointsIn("Webhooks")

const id = idOf("whe").meta({ description: "The endpoint's id" })
const eventId = idOf("evt").meta({ description: "An event's id" })
const byId = z.object({ id })
const fields = {
  url: webhooks.endpointUrl.meta({
    description: "Where events are sent: an https address on the public Internet",
    example: "https://example.com/webhooks",
  }),
  description: nameText(200).nullable().meta({ description: "Your own description", example: "Ledger service" }),
  types: z
    .array(z.enum(allEventTypes))
    .min(1, "must name at least one, or be null for all")
    .transform((types) => [...new Set(types)])
    .nullable()
    .meta({
      description: "Event types to send. Null means all types, including ones added later",
      example: ["attestation.verified"],
    }),
  ordered: z.boolean().meta({
    description: "Whether an event is sent only after all earlier ones were delivered or given up",
    example: false,
  }),
}

const secret = z.string().meta({
  pattern: "^whsec_[A-Za-z0-9+/]{43}=$",
  description: "The signing secret: `whsec_` and base64 of 32 bytes",
  example: "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDC2FVsBQIhrs=",
})
const withSecret = webhooks.endpointRecord.extend({ secret }).meta({ id: "WebhookEndpointWithSecret" })
const deliveryFilter = z.object({
  id,
  status: z.enum(deliveryStatuses).optional().meta({ description: "Only deliveries with this status" }),
  ...page,
})
const NOT_FOUND = ["webhook_endpoint_not_found"] as const

/** Webhook endpoints of a workspace and their deliveries. */
export const webhookRouter = router({
  create: endpoint("POST /webhook-endpoints", {
    scope: "webhooks:write",
    // Not found: a repeated request whose endpoint was deleted since.
    fails: ["webhook_endpoint_exists", "webhook_endpoint_limit", "webhook_endpoint_not_found"],
    holdsSecret: true,
    operationId: "createWebhookEndpoint",
    summary: "Create a webhook endpoint",
    description:
      "From now on, Vouch sends each event of the workspace to your address, signed with Standard Webhooks. A workspace can have 20 endpoints, each with a different address.",
    input: z.object({
      url: fields.url,
      description: fields.description.default(null),
      types: fields.types.default(null),
      ordered: fields.ordered.default(false),
    }),
    output: withSecret,
  }).mutation(({ ctx, input }) =>
    webhooks.createEndpoint({ ...changeBy(ctx), idempotency: ctx.idempotency, ...input }),
  ),

  list: endpoint("GET /webhook-endpoints", {
    scope: "events:read",
    operationId: "listWebhookEndpoints",
    summary: "List webhook endpoints",
    description: "All webhook endpoints of the workspace, newest first.",
    output: z.object({ data: z.array(webhooks.endpointRecord) }).meta({ id: "WebhookEndpointList" }),
  }).query(async ({ ctx }) => {
    const endpoints = await webhooks.listEndpoints(ctx.principal.workspaceId)
    return { data: endpoints.map((one) => ({ ...one, url: webhooks.urlFor(ctx.principal, one.url) })) }
  }),

  get: endpoint("GET /webhook-endpoint/{id}", {
    scope: "events:read",
    fails: NOT_FOUND,
    operationId: "getWebhookEndpoint",
    summary: "Get a webhook endpoint",
    description: "Returns the endpoint, and whether it accepts its events.",
    input: byId,
    output: webhooks.endpointRecord,
  }).query(async ({ ctx, input }) => {
    const endpoint = await webhooks.getEndpoint(ctx.principal.workspaceId, input.id)
    return { ...endpoint, url: webhooks.urlFor(ctx.principal, endpoint.url) }
  }),

  change: endpoint("PATCH /webhook-endpoint/{id}", {
    scope: "webhooks:write",
    fails: [...NOT_FOUND, "webhook_endpoint_exists"],
    operationId: "changeWebhookEndpoint",
    summary: "Change a webhook endpoint",
    description:
      "Changes which events are sent, and where, from now on. Events of a disabled endpoint are kept and delivered once it is enabled again.",
    input: z.object({
      id,
      ...z.object(fields).partial().shape,
      enabled: z.boolean().optional().meta({ description: "False disables it", example: true }),
    }),
    output: webhooks.endpointRecord,
  }).mutation(({ ctx, input }) =>
    webhooks.changeEndpoint({ ...changeBy(ctx), idempotency: ctx.idempotency, ...input }),
  ),

  remove: endpoint("DELETE /webhook-endpoint/{id}", {
    scope: "webhooks:write",
    fails: NOT_FOUND,
    operationId: "deleteWebhookEndpoint",
    summary: "Delete a webhook endpoint",
    description: "Stops sending events to it and deletes its deliveries.",
    input: byId,
    output: z.object({ endpoint_id: id }).meta({ id: "DeletedWebhookEndpoint" }),
  }).mutation(({ ctx, input }) =>
    webhooks.deleteEndpoint({ ...changeBy(ctx), idempotency: ctx.idempotency, id: input.id }),
  ),

  secret: endpoint("GET /webhook-endpoint/{id}/secret", {
    scope: "webhooks:write",
    fails: NOT_FOUND,
    operationId: "getWebhookSecret",
    summary: "Get a webhook endpoint's secret",
    description: "Returns the secret that lets you check that an event comes from Vouch.",
    input: byId,
    output: z.object({ endpoint_id: id, secret }).meta({ id: "WebhookSecret" }),
  }).query(({ ctx, input }) => webhooks.readSecret(ctx.principal.workspaceId, input.id)),

  rotateSecret: endpoint("POST /webhook-endpoint/{id}/rotate-secret", {
    scope: "webhooks:write",
    fails: NOT_FOUND,
    holdsSecret: true,
    operationId: "rotateWebhookSecret",
    summary: "Rotate a webhook endpoint's secret",
    description: "Creates a new secret. Until the overlap ends, events carry a signature of each secret in one header.",
    input: z.object({
      id,
      overlap_seconds: wholeNumber(0, overlap_s.longest).default(overlap_s.usual).meta({
        description: "How long events also carry a signature of the old secret. Send 0 if it has leaked",
        example: 86_400,
      }),
    }),
    output: withSecret,
  }).mutation(({ ctx, input }) =>
    webhooks.rotateSecret({
      ...changeBy(ctx),
      idempotency: ctx.idempotency,
      id: input.id,
      overlapSeconds: input.overlap_seconds,
    }),
  ),

  test: endpoint("POST /webhook-endpoint/{id}/test", {
    scope: "webhooks:write",
    fails: NOT_FOUND,
    operationId: "testWebhookEndpoint",
    summary: "Send a test event",
    description: `Sends an event of the type \`webhook.test\` at once and returns the endpoint's response, after at most ${answerWithin_s} s. The event has no sequence number and is not retried. The response does not change the endpoint's state.`,
    input: byId,
    output: webhooks.attemptRecord
      .extend({ delivered: z.boolean().meta({ description: "Whether the endpoint accepted it", example: true }) })
      .meta({ id: "WebhookTest" }),
  }).mutation(async ({ ctx, input }) => {
    const outcome = await webhooks.sendTestEvent(ctx.principal.workspaceId, input.id)
    return {
      delivered: outcome.error === null,
      at: toTimestamp(outcome.at),
      status_code: outcome.statusCode,
      latency_ms: outcome.latency_ms,
      error: outcome.error,
      response: outcome.response,
    }
  }),

  replay: endpoint("POST /webhook-endpoint/{id}/replay", {
    scope: "webhooks:write",
    fails: [...NOT_FOUND, "webhook_endpoint_disabled", "event_not_found", "events_expired", "events_rewound"],
    operationId: "replayWebhooks",
    summary: "Replay events",
    description:
      "Sends events again with the same ids: one event, all of the endpoint's types after a position or since a time, or all that failed since a time. The position is the `cursor` of the last event that you have. If a failover or a restore of the database lost that event, the response is 410 `events_rewound`: replay from the cursor in the header `Resume-Cursor`, and ignore events whose `id` you have.",
    input: z
      .object({
        id,
        event_id: eventId.optional().meta({ description: "One event of any type" }),
        cursor: eventCursor.optional().meta({
          description: "All events after the one with this `cursor`; `0` for all events",
          example: "41-9f3a61c0d7e4",
        }),
        after: wholeNumber(0, Number.MAX_SAFE_INTEGER).optional().meta({
          description:
            "All events after this sequence number. After a failover, another event may have the number of a lost one, which a number alone cannot reveal: send `cursor` instead",
          example: 41,
        }),
        since: instant.optional().meta({ description: "All events since this time" }),
        failed_since: instant.optional().meta({
          description:
            "Events since this time that the endpoint has not accepted: those given up, and those that wait for another attempt after one that failed",
        }),
      })
      .refine(({ id, ...which }) => Object.values(which).filter((one) => one !== undefined).length === 1, {
        error: "send exactly one of event_id, cursor, after, since and failed_since",
        path: ["event_id"],
      }),
    output: z
      .object({
        endpoint_id: id,
        events: z.number().int().meta({
          description: "Number of events sent again, not counting those still waiting for their first attempt",
          example: 1,
        }),
      })
      .meta({ id: "WebhookReplay" }),
  }).mutation(({ ctx, input: { id, event_id, cursor, after, since, failed_since } }) =>
    webhooks.replay({
      ...changeBy(ctx),
      idempotency: ctx.idempotency,
      id,
      which:
        event_id !== undefined
          ? { event_id }
          : cursor !== undefined
            ? { cursor }
            : after !== undefined
              ? { after }
              : since !== undefined
                ? { since: new Date(since) }
                : { failed_since: new Date(failed_since!) },
    }),
  ),

  deliveries: endpoint("GET /webhook-endpoint/{id}/deliveries", {
    scope: "events:read",
    fails: NOT_FOUND,
    operationId: "listWebhookDeliveries",
    summary: "List deliveries",
    description: "Events sent to an endpoint and those that wait, newest first. Kept as long as events are.",
    input: deliveryFilter,
    output: listOf(webhooks.deliveryRecord).meta({ id: "WebhookDeliveryList" }),
  }).query(({ ctx, input: { id, ...filter } }) => webhooks.listDeliveries(ctx.principal.workspaceId, id, filter)),

  delivery: endpoint("GET /webhook-endpoint/{id}/deliveries/{event_id}", {
    scope: "events:read",
    fails: [...NOT_FOUND, "webhook_delivery_not_found"],
    operationId: "getWebhookDelivery",
    summary: "Get a delivery",
    description: "Returns the delivery with its attempts and the endpoint's responses.",
    input: z.object({ id, event_id: eventId }),
    output: webhooks.deliveryDetail,
  }).query(({ ctx, input }) => webhooks.getDelivery(ctx.principal, input.id, input.event_id)),

  // For the dashboard only.

  searchDeliveries: memberWith("events:read")
    .input(deliveryFilter.extend({ type: z.enum(allEventTypes).optional(), about: eventSearch.shape.about }))
    .query(({ ctx, input }) => searchDeliveries(ctx.principal, input)),

  viewDelivery: memberWith("events:read")
    .input(z.object({ id, event_id: eventId }))
    .query(({ ctx, input }) => viewDelivery(ctx.principal, input.id, input.event_id)),

  health: memberWith("events:read").query(async ({ ctx }) => ({
    data: await webhooks.readHealth(ctx.principal.workspaceId),
  })),

  countFailed: memberWith("events:read")
    .input(z.object({ id, since: instant }))
    .query(({ ctx, input }) => webhooks.countFailed(ctx.principal.workspaceId, input.id, new Date(input.since))),

  progress: memberWith("events:read")
    .input(byId)
    .query(({ ctx, input }) => webhooks.readProgress(ctx.principal.workspaceId, input.id)),
})
