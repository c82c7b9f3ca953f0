import { z } from "zod"
import { type WebhookEvent, webhookEvent } from "#domain/providers"
import { EVENT_TYPE, exampleEvent } from "#shared/webhook-event.ts"
import { refTo, tidy } from "./schemas.ts"
import type { Example, Operation, Parameter, Schema } from "./types.ts"

/** How a provider signs a webhook: https://www.standardwebhooks.com, symmetric, version 1. */
export const webhookSignature = {
  type: "apiKey",
  in: "header",
  name: "webhook-signature",
  description: `Signed with [Standard Webhooks](https://www.standardwebhooks.com), in three headers:

- \`webhook-id\`: the event id, the same for every retry;
- \`webhook-timestamp\`: seconds since 1970, digits only, at most 300 seconds off;
- \`webhook-signature\`: \`v1,\` and the base64 HMAC-SHA256 of \`{webhook-id}.{webhook-timestamp}.{body}\`, over the
  exact bytes of the body, with the shared secret (\`whsec_\` and base64). Separate several signatures with spaces.

A webhook without a valid signature is refused with 401 \`invalid_signature\` and has no effect.`,
}

const headers: Parameter[] = [
  {
    name: "webhook-id",
    in: "header",
    required: true,
    description: "Event id. A repeated id is a duplicate and has no effect.",
    schema: { type: "string", minLength: 1, maxLength: 255 },
    example: "evt_9tQmW3vXcKpLzR5sYbH2Ga",
  },
  {
    name: "webhook-timestamp",
    in: "header",
    required: true,
    description: "Time of signing, in seconds since 1970.",
    schema: { type: "string", pattern: "^[1-9][0-9]{0,11}$" },
    example: "1767323045",
  },
]

const { $schema: _, ...eventSchema } = z.toJSONSchema(webhookEvent, { io: "input" })
export const eventAsSent = eventSchema as Schema
tidy(eventAsSent)

const { session_id, occurred_at } = exampleEvent.data

const rejected: WebhookEvent = {
  type: EVENT_TYPE,
  data: {
    session_id,
    decision: "rejected",
    occurred_at,
    reason: "The document has expired",
    public_reason: "documents_unreadable",
  },
}

const examples: Record<string, Example> = {
  approved: { summary: "The person is verified", value: exampleEvent satisfies WebhookEvent },
  rejected: { summary: "The verification failed, or the approval is withdrawn", value: rejected },
}

/** Describes what the generator cannot see, because the procedure takes raw bytes with their headers. */
export const signedWebhook: Pick<Operation, "security" | "requestBody"> & { headers: Parameter[] } = {
  security: [{ webhookSignature: [] }],
  headers,
  requestBody: { required: true, content: { "application/json": { schema: refTo("WebhookEvent"), examples } } },
}
