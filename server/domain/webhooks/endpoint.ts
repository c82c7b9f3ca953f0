import { z } from "zod"
import type { Queryable } from "#db/client.ts"
import { columns, type RowOf, timestamped } from "#db/rows.ts"
import type { Principal } from "#domain/requests"
import { idOf, timestamp } from "#server/lib/fields.ts"
import { isId } from "#server/lib/ids.ts"
import { fail } from "#shared/errors.ts"
import { allEventTypes } from "#shared/event-types.ts"
import { disabledAfterDays, disabledReasons } from "#shared/webhooks.ts"

export const endpointColumns = columns(
  "webhook_endpoints",
  "id, url, description, types, ordered, previous_until, disabled_at, disabled_reason, failing_since, created_at",
)

export type Endpoint = RowOf<typeof endpointColumns>

export const endpointRecord = z
  .object({
    endpoint_id: idOf("whe").meta({
      description: "The endpoint's id",
    }),
    url: z.string().meta({
      format: "uri",
      description: "Where events are sent. Without the scope `webhooks:write`, the path and query are `***`",
      example: "https://example.com/webhooks",
    }),
    description: z
      .string()
      .nullable()
      .meta({ maxLength: 200, description: "Your description", example: "Ledger service" }),
    types: z
      .array(z.enum(allEventTypes))
      .nullable()
      .meta({
        description: "Which events are sent; null means all types, including ones added later",
        example: ["attestation.verified", "attestation.rejected"],
      }),
    ordered: z.boolean().meta({
      description: "Whether an event is sent only after all earlier ones were delivered or given up",
      example: false,
    }),
    status: z.enum(["enabled", "disabled"]).meta({ description: "A disabled endpoint gets no events" }),
    disabled_reason: z
      .enum(disabledReasons)
      .nullable()
      .meta({
        description: `\`requested\`: you disabled it; \`gone\`: it answered 410; \`failing\`: no delivery succeeded for ${disabledAfterDays} days. Null while enabled`,
        example: null,
      }),
    disabled_at: timestamp.nullable().meta({ description: "Null while enabled", example: null }),
    failing_since: timestamp.nullable().meta({
      description: "Since when every attempt has failed; null if the last one succeeded",
      example: null,
    }),
    previous_secret_until: timestamp.nullable().meta({
      description: "Until when the previous secret also signs; null if there is none",
      example: null,
    }),
    created_at: timestamp,
  })
  .meta({ id: "WebhookEndpoint" })

export type EndpointRecord = z.infer<typeof endpointRecord>

export function toEndpointRecord(row: Endpoint, now: Date): EndpointRecord {
  const { id, previous_until, ...shown } = row
  return timestamped({
    endpoint_id: id,
    ...shown,
    status: row.disabled_at === null ? "enabled" : "disabled",
    previous_secret_until: previous_until && previous_until > now ? previous_until : null,
  })
}

/** Replaces what a caller may not see. It is also valid in a URL. */
export const MASKED = "***"

/** URLs' paths and queries, and consumers' responses, may hold secrets. Only callers who manage endpoints see them. */
export const maySeeSecrets = ({ scopes }: Pick<Principal, "scopes">): boolean => scopes.has("webhooks:write")

export function urlFor(principal: Pick<Principal, "scopes">, url: string): string {
  if (maySeeSecrets(principal)) return url
  const { origin, pathname, search } = new URL(url)
  return pathname === "/" && search === "" ? url : `${origin}/${MASKED}`
}

export const noEndpoint = (): never =>
  fail(
    "webhook_endpoint_not_found",
    "id: this workspace has no webhook endpoint with this id. List them with GET /webhook-endpoints.",
  )

/** An endpoint's row, locked on request. Errors: webhook_endpoint_not_found. */
export async function readEndpoint(
  sql: Queryable,
  workspaceId: string,
  id: string,
  { lock = false } = {},
): Promise<Endpoint> {
  if (!isId("whe", id)) return noEndpoint()
  const [row] = await sql<Endpoint[]>`
    select ${sql(endpointColumns)} from webhook_endpoints
    where workspace_id = ${workspaceId} and id = ${id} and deleted_at is null ${lock ? sql`for update` : sql``}`
  return row ?? noEndpoint()
}
