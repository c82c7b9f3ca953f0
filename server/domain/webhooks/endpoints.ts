import { isDeepStrictEqual } from "node:util"
import { isUniqueViolation, type Queryable, sql } from "#db/client.ts"
import { publish } from "#db/pubsub.ts"
import { only, type RowOf } from "#db/rows.ts"
import { type Author, recordChange } from "#domain/audit-log"
import { holdPermission } from "#domain/people"
import { claimKey, type IdempotencyClaim } from "#domain/requests"
import { newId } from "#server/lib/ids.ts"
import { addSeconds, clock } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import type { EventType } from "#shared/event-types.ts"
import { mostEndpoints } from "#shared/webhooks.ts"
import { readUrl } from "./deliver/destination.ts"
import { type EndpointRecord, endpointColumns, noEndpoint, readEndpoint, toEndpointRecord } from "./endpoint.ts"
import { newSecret, type Secrets, sealSecret, secretsAt } from "./secrets.ts"

export type EndpointFields = {
  url: string
  description: string | null
  types: EventType[] | null
  ordered: boolean
}

type Writing = { workspaceId: string; author: Author; idempotency: IdempotencyClaim | null }

/** All endpoints of a workspace, newest first. */
export async function listEndpoints(workspaceId: string): Promise<EndpointRecord[]> {
  const rows = await sql<RowOf<typeof endpointColumns>[]>`
    select ${sql(endpointColumns)} from webhook_endpoints
    where workspace_id = ${workspaceId} and deleted_at is null order by created_at desc, id`
  const now = clock.now()
  return rows.map((row) => toEndpointRecord(row, now))
}

export async function getEndpoint(workspaceId: string, id: string): Promise<EndpointRecord> {
  return toEndpointRecord(await readEndpoint(sql, workspaceId, id), clock.now())
}

/**
 * Adds an endpoint. It gets events from now on. Errors: validation_failed, webhook_endpoint_exists,
 * webhook_endpoint_limit.
 */
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
        await sql<RowOf<typeof endpointColumns>[]>`
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

/**
 * Changes an endpoint. An endpoint that is enabled again gets the events that it missed. Errors:
 * webhook_endpoint_not_found, webhook_endpoint_exists, validation_failed.
 */
export const changeEndpoint = async ({
  workspaceId,
  author,
  idempotency,
  id,
  enabled,
  ...changes
}: Writing & { id: string; enabled?: boolean | undefined } & {
  [Field in keyof EndpointFields]?: EndpointFields[Field] | undefined
}): Promise<EndpointRecord> => {
  if (idempotency?.begun) return getEndpoint(workspaceId, id)
  const changed = await refusingTwice(() =>
    sql.begin(async (sql) => {
      await holdPermission(sql, workspaceId, author, "webhooks:write")
      const row = await readEndpoint(sql, workspaceId, id, { lock: true })
      if (idempotency) await claimKey(sql, idempotency, id)
      const before: EndpointFields = {
        url: row.url,
        description: row.description,
        types: row.types,
        ordered: row.ordered,
      }
      const asked = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
      const after: EndpointFields = { ...before, ...asked }
      if (asked.url !== undefined) after.url = readUrl(after.url)
      const wasEnabled = row.disabled_at === null
      const isEnabled = enabled ?? wasEnabled
      const now = clock.now()
      if (!isDeepStrictEqual(after, before)) {
        await sql`
          update webhook_endpoints set url = ${after.url}, description = ${after.description}, types = ${after.types},
            ordered = ${after.ordered}
          where workspace_id = ${workspaceId} and id = ${id}`
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
export const deleteEndpoint = async ({
  workspaceId,
  author,
  idempotency,
  id,
}: Writing & { id: string }): Promise<{ endpoint_id: string }> => {
  if (idempotency?.begun) return { endpoint_id: id }
  return sql.begin(async (sql) => {
    await holdPermission(sql, workspaceId, author, "webhooks:write")
    const { url } = await readEndpoint(sql, workspaceId, id, { lock: true })
    await sql`
      update webhook_endpoints set deleted_at = ${clock.now()} where workspace_id = ${workspaceId} and id = ${id}`
    await recordChange(sql, workspaceId, {
      author,
      action: "webhook.deleted",
      subject: id,
      detail: { url: originOf(url) },
    })
    if (idempotency) await claimKey(sql, idempotency, id)
    return { endpoint_id: id }
  })
}

/** The secret that signs. Errors: webhook_endpoint_not_found. */
export async function readSecret(workspaceId: string, id: string): Promise<{ endpoint_id: string; secret: string }> {
  await readEndpoint(sql, workspaceId, id)
  const row = only(
    await sql<Secrets[]>`
      select id, secret, previous_secret, previous_until from webhook_endpoints
      where workspace_id = ${workspaceId} and id = ${id}`,
  )
  return { endpoint_id: id, secret: secretsAt(clock.now(), row)[0]! }
}

/** Gives an endpoint a new secret; the old one also signs for a while. Errors: webhook_endpoint_not_found. */
export const rotateSecret = async ({
  workspaceId,
  author,
  idempotency,
  id,
  overlapSeconds,
}: Writing & { id: string; overlapSeconds: number }): Promise<EndpointRecord & { secret: string }> => {
  // A second rotation would end the old secret's overlap, and a caller that repeats the request wants only one.
  if (idempotency?.begun) return readWithSecret(workspaceId, id)
  return sql.begin(async (sql) => {
    await holdPermission(sql, workspaceId, author, "webhooks:write")
    await readEndpoint(sql, workspaceId, id, { lock: true })
    const [now, secret] = [clock.now(), newSecret()]
    const until = overlapSeconds === 0 ? null : addSeconds(now, overlapSeconds)
    const [row] = await sql<RowOf<typeof endpointColumns>[]>`
      update webhook_endpoints set secret = ${sealSecret(id, secret)},
        previous_secret = ${until === null ? null : sql`secret`}, previous_until = ${until}
      where workspace_id = ${workspaceId} and id = ${id} returning ${sql(endpointColumns)}`
    if (idempotency) await claimKey(sql, idempotency, id)
    await recordChange(sql, workspaceId, {
      author,
      action: "webhook.secret_rotated",
      subject: id,
      detail: { overlap_seconds: overlapSeconds },
    })
    return { ...toEndpointRecord(row ?? noEndpoint(), now), secret }
  })
}

/**
 * The response to a repeated request that has created a secret, with its current state. Errors:
 * webhook_endpoint_not_found.
 */
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
