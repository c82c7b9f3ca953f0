import { isDeepStrictEqual } from "node:util"
import { isUniqueViolation, type Queryable, sql } from "#db/client.ts"
import { publish } from "#db/pubsub.ts"
import { only } from "#db/rows.ts"
import { type Author, recordChange } from "#domain/audit-log"
import { holdPermission } from "#domain/people"
import { claimKey, type IdempotencyClaim } from "#domain/requests"
import { newId } from "#server/lib/ids.ts"
import { addSeconds, clock } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import type { EventType } from "#shared/event-types.ts"
import { mostEndpoints } from "#shared/webhooks.ts"
import { readUrl } from "./deliver/destination.ts"
import {
  type Endpoint,
  type EndpointRecord,
  endpointColumns,
  noEndpoint,
  readEndpoint,
  toEndpointRecord,
} from "./endpoint.ts"
import { newSecret, readSecrets, sealSecret } from "./secrets.ts"

export type EndpointFields = {
  url: string
  description: string | null
  types: EventType[] | null
  ordered: boolean
}

type Writing = { workspaceId: string; author: Author; idempotency: IdempotencyClaim | null }

/** All endpoints of a workspace, newest first. */
export async function listEndpoints(workspaceId: string): Promise<EndpointRecord[]> {
  const rows = await sql<Endpoint[]>`
    select ${sql(endpointColumns)} from webhook_endpoints
    where workspace_id = ${workspaceId} and deleted_at is null order by created_at desc, id`
  const now = clock.now()
  return rows.map((row) => toEndpointRecord(row, now))
}

export async function getEndpoint(workspaceId: string, id: string): Promise<EndpointRecord> {
  return toEndpointRecord(await readEndpoint(sql, workspaceId, id), clock.now())
}

/** Adds an endpoint for later events. Errors: validation_failed, webhook_endpoint_exists, webhook_endpoint_limit. */
export async function createEndpoint({
  workspaceId,
  author,
  idempotency,
  ...fields
}: Writing & EndpointFields): Promise<EndpointRecord & { secret: string }> {
  if (idempotency?.begun) return readWithSecret(workspaceId, idempotency.begun)
  const { description, types, ordered } = fields
  const url = readUrl(fields.url)
  const secret = newSecret()
  const id = newId("whe")
  const row = await refusingTwice(() =>
    sql.begin(async (sql) => {
      await holdPermission(sql, workspaceId, author, "webhooks:write")
      // Serialized, so that two requests cannot exceed the limit together.
      await sql`select from workspaces where id = ${workspaceId} for no key update`
      const { count } = only(
        await sql<{ count: bigint }[]>`
          select count(*) from webhook_endpoints where workspace_id = ${workspaceId} and deleted_at is null`,
      )
      if (count >= mostEndpoints)
        fail(
          "webhook_endpoint_limit",
          `This workspace has ${count} webhook endpoints, and the limit is ${mostEndpoints}. Delete one first.`,
        )
      const row = only(
        await sql<Endpoint[]>`
          insert into webhook_endpoints (workspace_id, id, url, description, types, ordered, secret, cursor, created_at)
          values (${workspaceId}, ${id}, ${url}, ${description}, ${types}, ${ordered}, ${sealSecret(id, secret)},
            coalesce((select last from event_counters where workspace_id = ${workspaceId}), 0), ${clock.now()})
          returning ${sql(endpointColumns)}`,
      )
      const detail = { url: originOf(url), types, ordered }
      if (idempotency) await claimKey(sql, idempotency, id)
      await recordChange(sql, workspaceId, { author, action: "webhook.created", subject: id, detail })
      return row
    }),
  )
  return { ...toEndpointRecord(row, clock.now()), secret }
}

/** Changes an endpoint, whose row stays locked, as long as the author may. Errors: webhook_endpoint_not_found. */
export const changeLocked = <T>(
  { workspaceId, author, idempotency, id }: Writing & { id: string },
  change: (sql: Queryable, row: Endpoint) => Promise<T>,
): Promise<T> =>
  sql.begin(async (sql) => {
    await holdPermission(sql, workspaceId, author, "webhooks:write")
    const row = await readEndpoint(sql, workspaceId, id, { lock: true })
    if (idempotency) await claimKey(sql, idempotency, id)
    return change(sql, row)
  })

/**
 * Changes an endpoint. An endpoint that is enabled again gets the events that it missed. Errors:
 * webhook_endpoint_not_found, webhook_endpoint_exists, validation_failed.
 */
export async function changeEndpoint({
  enabled,
  url: given,
  description,
  types,
  ordered,
  ...writing
}: Writing & { id: string; enabled?: boolean | undefined } & {
  [Field in keyof EndpointFields]?: EndpointFields[Field] | undefined
}): Promise<EndpointRecord> {
  const { workspaceId, author, idempotency, id } = writing
  if (idempotency?.begun) return getEndpoint(workspaceId, id)
  const changed = await refusingTwice(() =>
    changeLocked(writing, async (sql, row) => {
      const before: EndpointFields = {
        url: row.url,
        description: row.description,
        types: row.types,
        ordered: row.ordered,
      }
      const after: EndpointFields = {
        url: given === undefined ? row.url : readUrl(given),
        description: description === undefined ? row.description : description,
        types: types === undefined ? row.types : types,
        ordered: ordered ?? row.ordered,
      }
      const wasEnabled = row.disabled_at === null
      const isEnabled = enabled ?? wasEnabled
      const now = clock.now()
      if (!isDeepStrictEqual(after, before)) {
        await sql`update webhook_endpoints set ${sql(after)} where workspace_id = ${workspaceId} and id = ${id}`
        const detail = { before: shown(before), after: shown(after) }
        await recordChange(sql, workspaceId, { author, action: "webhook.changed", subject: id, detail })
      }
      if (isEnabled !== wasEnabled) {
        await sql`
          update webhook_endpoints set disabled_at = ${isEnabled ? null : now},
            disabled_reason = ${isEnabled ? null : "requested"}, failing_since = null
          where workspace_id = ${workspaceId} and id = ${id}`
        const action = isEnabled ? "webhook.enabled" : "webhook.disabled"
        await recordChange(sql, workspaceId, { author, action, subject: id, detail: {} })
        if (isEnabled) await retryNow(sql, workspaceId, id)
      }
      return toEndpointRecord(await readEndpoint(sql, workspaceId, id), now)
    }),
  )
  publish("webhooks")
  return changed
}

/** Pending deliveries are tried immediately, because a member who enables an endpoint has usually fixed it. */
const retryNow = (sql: Queryable, workspaceId: string, id: string) => sql`
  update webhook_deliveries set next_attempt_at = ${clock.now()}, attempts = 0
  where workspace_id = ${workspaceId} and endpoint_id = ${id} and status = 'pending'`

/** Deletes an endpoint with its deliveries. Errors: webhook_endpoint_not_found. */
export const deleteEndpoint = async (writing: Writing & { id: string }): Promise<{ endpoint_id: string }> => {
  const { workspaceId, author, idempotency, id } = writing
  if (idempotency?.begun) return { endpoint_id: id }
  return changeLocked(writing, async (sql, { url }) => {
    await sql`
      update webhook_endpoints set deleted_at = ${clock.now()} where workspace_id = ${workspaceId} and id = ${id}`
    const detail = { url: originOf(url) }
    await recordChange(sql, workspaceId, { author, action: "webhook.deleted", subject: id, detail })
    return { endpoint_id: id }
  })
}

/** The secret that signs. Errors: webhook_endpoint_not_found. */
export async function readSecret(workspaceId: string, id: string): Promise<{ endpoint_id: string; secret: string }> {
  await readEndpoint(sql, workspaceId, id)
  return { endpoint_id: id, secret: (await readSecrets(workspaceId, id, clock.now()))[0]! }
}

/** Gives an endpoint a new secret; the old one also signs for a while. Errors: webhook_endpoint_not_found. */
export const rotateSecret = async ({
  overlapSeconds,
  ...writing
}: Writing & { id: string; overlapSeconds: number }): Promise<EndpointRecord & { secret: string }> => {
  const { workspaceId, author, idempotency, id } = writing
  // A second rotation would end the old secret's overlap, and a caller that repeats the request wants only one.
  if (idempotency?.begun) return readWithSecret(workspaceId, id)
  return changeLocked(writing, async (sql) => {
    const [now, secret] = [clock.now(), newSecret()]
    const until = overlapSeconds === 0 ? null : addSeconds(now, overlapSeconds)
    const [row] = await sql<Endpoint[]>`
      update webhook_endpoints set secret = ${sealSecret(id, secret)},
        previous_secret = ${until === null ? null : sql`secret`}, previous_until = ${until}
      where workspace_id = ${workspaceId} and id = ${id} returning ${sql(endpointColumns)}`
    const detail = { overlap_seconds: overlapSeconds }
    await recordChange(sql, workspaceId, { author, action: "webhook.secret_rotated", subject: id, detail })
    return { ...toEndpointRecord(row ?? noEndpoint(), now), secret }
  })
}

/** The response to a repeated request that created a secret, as of now. Errors: webhook_endpoint_not_found. */
async function readWithSecret(workspaceId: string, id: string) {
  const { secret } = await readSecret(workspaceId, id)
  return { ...(await getEndpoint(workspaceId, id)), secret }
}

/** The address is left out, because its path or query may be a secret of the consumer. */
const originOf = (url: string): string => new URL(url).origin
const shown = ({ url, ...fields }: EndpointFields) => ({ url: originOf(url), ...fields })

async function refusingTwice<T>(change: () => Promise<T>): Promise<T> {
  try {
    return await change()
  } catch (error) {
    if (!isUniqueViolation(error, "webhook_endpoints_url")) throw error
    return fail(
      "webhook_endpoint_exists",
      "url: a webhook endpoint with this address already exists. Change that one, or delete it first.",
    )
  }
}
