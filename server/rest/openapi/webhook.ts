import { publicReasons } from "#server/attestations/public-reason.ts"
import { decisions } from "#server/providers/provider.ts"
import { refTo } from "./schemas.ts"
import type { Example, Operation, Parameter, Schema } from "./types.ts"

/** How a provider proves that a webhook is its own: https://www.standardwebhooks.com, symmetric, version 1. */
export const webhookSignature = {
  type: "apiKey",
  in: "header",
  name: "webhook-signature",
  description: `Signed by [Standard Webhooks](https://www.standardwebhooks.com), by three headers:

- \`webhook-id\`: the event's identifier, the same whenever it is sent again;
- \`webhook-timestamp\`: seconds since 1970, digits only, at most 300 seconds off;
- \`webhook-signature\`: \`v1,\` and the base64 HMAC-SHA256 of \`{webhook-id}.{webhook-timestamp}.{body}\`, over the
  exact bytes of the body, with the shared secret (\`whsec_\` and base64). Several are separated by spaces.

A webhook that is unsigned, or whose signature does not match, is refused with 401 \`invalid_signature\` and never
acted upon.`,
}

const headers: Parameter[] = [
  {
    name: "webhook-id",
    in: "header",
    required: true,
    description: "The event's identifier. One that was seen before is a duplicate, and nothing happens.",
    schema: { type: "string", minLength: 1, maxLength: 255 },
    example: "evt_9tQmW3vXcKpLzR5sYbH2Ga",
  },
  {
    name: "webhook-timestamp",
    in: "header",
    required: true,
    description: "When this delivery was signed, in seconds since 1970.",
    schema: { type: "string", pattern: "^[1-9][0-9]{0,11}$" },
    example: "1767323045",
  },
]

/** What a provider reports. Vendors add fields of their own: unknown ones are ignored here. */
export const webhookEvent: Schema = {
  type: "object",
  description: "A provider's decision about a session. Unknown fields are ignored.",
  properties: {
    type: { type: "string", const: "verification.completed" },
    data: {
      type: "object",
      properties: {
        session_id: {
          type: "string",
          description: "The session that it is about; an unknown one is ignored",
        },
        decision: {
          type: "string",
          enum: [...decisions],
          description:
            "`resubmission_requested` and `in_review` leave the attestation pending; `rejected` after `approved` revokes",
        },
        occurred_at: {
          type: "string",
          format: "date-time",
          description: "When it was decided: events older than the last one applied are ignored",
        },
        claims: {
          type: "object",
          description: "What rules may use. Nothing else about a person is kept.",
          properties: {
            country: { type: "string", pattern: "^[A-Z]{2}$", description: "ISO 3166-1 alpha-2" },
            age_over_18: { type: "boolean" },
            accredited: { type: "boolean" },
          },
        },
        reason: {
          type: "string",
          minLength: 1,
          maxLength: 500,
          description: "Shown in the attestation's record, never to the wallet's holder",
        },
        public_reason: {
          type: "string",
          enum: [...publicReasons],
          default: "unverifiable",
          description: "What the wallet's holder is told. An unknown code is taken as the default.",
        },
      },
      required: ["session_id", "decision", "occurred_at"],
    },
  },
  required: ["type", "data"],
}

const event = (data: Record<string, unknown>) => ({
  type: "verification.completed",
  data: { session_id: "sess_Kx8vPq3mNbR5tYw2Lc7HdZ", ...data },
})

const examples: Record<string, Example> = {
  approved: {
    summary: "The person is verified",
    value: event({
      decision: "approved",
      occurred_at: "2026-01-02T03:04:05Z",
      claims: { country: "US", age_over_18: true, accredited: false },
    }),
  },
  rejected: {
    summary: "The verification failed, or its approval is withdrawn",
    value: event({
      decision: "rejected",
      occurred_at: "2026-01-02T03:04:05Z",
      reason: "The document has expired",
      public_reason: "documents_unreadable",
    }),
  },
}

/** What the generator cannot see: the procedure takes raw bytes, and its headers are read with them. */
export const signedWebhook: Pick<Operation, "security" | "requestBody"> & { headers: Parameter[] } = {
  security: [{ webhookSignature: [] }],
  headers,
  requestBody: {
    required: true,
    content: { "application/json": { schema: refTo("WebhookEvent"), examples } },
  },
}
