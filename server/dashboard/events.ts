import { z } from "zod"
import { sql } from "#db/client.ts"
import type { RowOf } from "#db/rows.ts"
import { inTime } from "#db/seq-at.ts"
import { type EventRecord, eventColumns, eventsOf, toEventRecord } from "#domain/events"
import { isOneOf, subjectsNamed } from "#domain/investor-search"
import type { Principal } from "#domain/requests"
import { type LastAttempt, lastAttempts, urlFor } from "#domain/webhooks"
import { ownersOf } from "#server/dashboard/investors/owners.ts"
import { badCursor, fromCursor, toCursor } from "#server/lib/cursor.ts"
import { instant, page } from "#server/lib/fields.ts"
import { isId } from "#server/lib/ids.ts"
import { toTimestamp } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import type { RequestedAction } from "#shared/approvals.ts"
import { fail } from "#shared/errors.ts"
import { allEventTypes } from "#shared/event-types.ts"
import { keptDays } from "#shared/retention.ts"
import type { DeliveryStatus } from "#shared/webhooks.ts"

export const eventSearch = z.object({
  /** An event's id, cursor or sequence number, or its subject: an id, a wallet, or a person's name. */
  about: z.string().min(1).max(100).optional(),
  type: z.enum(allEventTypes).optional(),
  from: instant.optional(),
  to: instant.optional(),
  ...page,
})

/** The most events to search for one page, because no index covers their subjects. */
const LOOKED_THROUGH = 20_000

type Row = RowOf<typeof eventColumns>

/**
 * Events, newest first. A page may have fewer than `limit` events, or none, and still a cursor: then older ones have
 * not been searched yet. Errors: validation_failed for a cursor.
 */
export async function searchEvents(principal: Principal, search: z.infer<typeof eventSearch>) {
  const found = await findEvents(principal.workspaceId, search)
  return { ...found, ...(await namesIn(principal, found.data)) }
}

/** The same without names. */
export async function findEvents(
  workspaceId: string,
  { about, type, from, to, limit, cursor }: z.infer<typeof eventSearch>,
): Promise<{ data: EventRecord[]; next_cursor: string | null }> {
  const single = about === undefined ? null : singleOf(about)
  if (single !== null) {
    const rows = await sql<Row[]>`
      select ${sql(eventColumns)} from events
      where workspace_id = ${workspaceId} and ${single()} ${type === undefined ? sql`` : sql`and type = ${type}`}`
    return { data: rows.map(toEventRecord), next_cursor: null }
  }
  const inSpan = await inTime(eventsOf(workspaceId), { after: from ?? null, before: to ?? null })
  if (inSpan === null) return { data: [], next_cursor: null }
  const before = cursor === undefined ? null : await placeOf(workspaceId, cursor)
  const range = () => sql`
    workspace_id = ${workspaceId} ${before === null ? sql`` : sql`and sequence < ${before}`}
    ${type === undefined ? sql`` : sql`and type = ${type}`} ${inSpan()}
    order by sequence desc`
  const rows =
    about === undefined
      ? await sql<Row[]>`select ${sql(eventColumns)} from events where ${range()} limit ${limit + 1}`
      : await sql<Row[]>`
          select ${sql(eventColumns)} from (select * from events where ${range()} limit ${LOOKED_THROUGH}) recent
          where exists (select from jsonb_each_text(data) as part where ${isOneOf(sql`part.value`, (await subjectsNamed(workspaceId, "about", about)).ids)})
          order by sequence desc limit ${limit + 1}`
  const data = rows.slice(0, limit).map(toEventRecord)
  if (rows.length > limit) return { data, next_cursor: toCursor(data.at(-1)!.id) }
  if (about === undefined) return { data, next_cursor: null }
  const [last] = await sql<{ id: string }[]>`
    select id from events where ${range()} limit 1 offset ${LOOKED_THROUGH - 1}`
  return { data, next_cursor: last ? toCursor(last.id) : null }
}

/** The people and tokens in events, to call them by name, and what approvals in them are about. */
export async function namesIn(principal: Principal, events: readonly EventRecord[]) {
  const { workspaceId } = principal
  const requested = valuesIn(
    events.map(({ data }) => data),
    ["approval_id"],
  )
  const approvals = await sql<{ id: string; action: RequestedAction; request: Record<string, unknown> }[]>`
    select id, action, request from approvals where workspace_id = ${workspaceId} and id = any(${requested}::text[])`
  const all = [...events.map(({ data }) => data), ...approvals.map(({ request }) => request)]
  const [people, tokens] = await Promise.all([
    ownersOf(principal, valuesIn(all, ["user_pubkey", "from_pubkey", "to_pubkey"]) as Address[]),
    sql<{ id: string; name: string; symbol: string }[]>`
      select id, name, symbol from mint_configs
      where workspace_id = ${workspaceId} and id = any(${valuesIn(all, ["mint_config"])}::text[])`,
  ])
  return { people: people.data, tokens: [...tokens], approvals: [...approvals] }
}

/** The texts in these fields, each once. */
function valuesIn(records: readonly object[], fields: readonly string[]): string[] {
  const values = records.flatMap((record) => fields.map((field) => (record as Record<string, unknown>)[field]))
  return [...new Set(values.filter((value) => typeof value === "string"))]
}

/** A condition that matches at most one event. */
function singleOf(about: string) {
  if (isId("evt", about)) return () => sql`id = ${about}`
  const [, sequence, generation] = /^([1-9][0-9]{0,14})(?:-([0-9a-z]{1,16}))?$/.exec(about) ?? []
  if (sequence === undefined) return null
  return () =>
    sql`sequence = ${sequence}::bigint ${generation === undefined ? sql`` : sql`and generation = ${generation}`}`
}

async function placeOf(workspaceId: string, cursor: string): Promise<bigint> {
  const [row] = await sql<{ sequence: bigint }[]>`
    select sequence from events where workspace_id = ${workspaceId} and id = ${fromCursor("evt", cursor)}`
  return row?.sequence ?? badCursor()
}

type Delivery = LastAttempt & {
  endpoint_id: string
  url: string
  status: DeliveryStatus
  attempts: number
  next_attempt_at: Date | null
  ended_at: Date | null
}

/** An event with its deliveries, newest endpoint first. Errors: event_not_found. */
export async function viewEvent(principal: Principal, id: string) {
  const { workspaceId } = principal
  const [row] = await sql<Row[]>`
    select ${sql(eventColumns)} from events where workspace_id = ${workspaceId} and id = ${id}`
  if (!row) {
    return fail(
      "event_not_found",
      `id: this workspace has no event ${isId("evt", id) ? id : "with this id"}. Events are kept for ${keptDays.events} days.`,
    )
  }
  const deliveries = await sql<Delivery[]>`
    select e.id as endpoint_id, e.url, d.status, d.attempts, d.next_attempt_at, d.ended_at,
      a.last_status_code, a.last_error
    from webhook_endpoints e
    join webhook_deliveries d on d.workspace_id = e.workspace_id and d.endpoint_id = e.id and d.sequence = ${row.sequence}
    ${lastAttempts()}
    where e.workspace_id = ${workspaceId} and e.deleted_at is null order by e.created_at desc, e.id`
  const event = toEventRecord(row)
  return {
    event,
    ...(await namesIn(principal, [event])),
    deliveries: deliveries.map((one) => ({
      ...one,
      url: urlFor(principal, one.url),
      next_attempt_at: one.next_attempt_at && toTimestamp(one.next_attempt_at),
      ended_at: one.ended_at && toTimestamp(one.ended_at),
    })),
  }
}
