import { z } from "zod"
import { sql } from "#db/client.ts"
import { columns, qualified, type RowOf, timestamped } from "#db/rows.ts"
import type { Principal } from "#domain/requests"
import { badCursor } from "#server/lib/cursor.ts"
import { idOf, timestamp } from "#server/lib/fields.ts"
import { isId } from "#server/lib/ids.ts"
import { fail } from "#shared/errors.ts"
import { allEventTypes, type EventType } from "#shared/event-types.ts"
import { attemptPauses_s, type DeliveryStatus, deliveryStatuses, keptAnswer_chars } from "#shared/webhooks.ts"
import { bodyOf, headersOf, withSignature } from "./deliver/sent.ts"
import { MASKED, maySeeSecrets, readEndpoint } from "./endpoint.ts"

const delivery = z.object({
  endpoint_id: idOf("whe").meta({ description: "The endpoint's id" }),
  event_id: idOf("evt").meta({
    description: "The event's id, the same in every attempt",
  }),
  sequence: z.number().int().meta({ description: "The event's sequence number", example: 42 }),
  type: z.enum(allEventTypes).meta({ description: "The event's type" }),
  status: z.enum(deliveryStatuses).meta({
    description: "`pending`: it waits for its next attempt; `failed`: all have been made. A replay begins again",
  }),
  attempts: z
    .number()
    .int()
    .meta({
      description: `Attempts since it was last requested, at most ${attemptPauses_s.length}`,
      example: 1,
    }),
  next_attempt_at: timestamp.nullable().meta({ description: "Null unless pending", example: null }),
  ended_at: timestamp.nullable().meta({ description: "When it was delivered or given up; null while pending" }),
  last_status_code: z
    .number()
    .int()
    .nullable()
    .meta({ description: "The response to the last attempt; null if there was none", example: 200 }),
  last_error: z
    .string()
    .nullable()
    .meta({ description: "Why the last attempt failed; null if it did not, or if there was none", example: null }),
})

export const deliveryRecord = delivery.meta({ id: "WebhookDelivery" })

export const attemptRecord = z.object({
  at: timestamp.meta({ description: "When the attempt began" }),
  status_code: z.number().int().nullable().meta({ description: "Null if there was no response", example: 200 }),
  latency_ms: z.number().int().meta({ description: "How long the response took, in milliseconds", example: 87 }),
  error: z.string().nullable().meta({ description: "Why it failed; null if it was delivered", example: null }),
  response: z.string().nullable().meta({
    maxLength: keptAnswer_chars,
    description: "The start of the response's body; `***` without the scope `webhooks:write`",
    example: "ok",
  }),
})

const loggedAttempt = attemptRecord.extend({
  headers: z
    .record(z.string(), z.string())
    .nullable()
    .meta({
      description:
        "The request's headers, except those of the connection. The signature is `***` without the scope `webhooks:write`. Null for attempts of version 0.1.0",
      example: {
        "content-type": "application/json",
        "content-length": "214",
        "user-agent": "Vouch-Webhooks/1",
        "webhook-id": "evt_Kx8vPq3mNbR5tYw2Lc7HdZ",
        "webhook-timestamp": "1767323045",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
      },
    }),
})

export const deliveryDetail = delivery
  .extend({
    body: z.string().meta({
      description: "The body of every attempt, exactly as it is sent",
      example: '{"id":"evt_Kx8vPq3mNbR5tYw2Lc7HdZ","sequence":42}',
    }),
    attempt_log: z.array(loggedAttempt).meta({ description: "The last 50 attempts within 30 days, newest first" }),
  })
  .meta({ id: "WebhookDeliveryDetail" })

type DeliveryRecord = z.infer<typeof deliveryRecord>

const deliveryColumns = columns(
  "webhook_deliveries",
  "endpoint_id, sequence, status, attempts, next_attempt_at, ended_at",
)
type Row = RowOf<typeof deliveryColumns> & { event_id: string; type: EventType } & LastAttempt

/** All columns of a `Row`, from deliveries `d`, their events `e` and last attempts. */
const fields = () => sql`
  ${sql(qualified("d", deliveryColumns))}, e.id as event_id, e.type, a.last_status_code, a.last_error`

export type LastAttempt = { last_status_code: number | null; last_error: string | null }

/** To join to deliveries `d`: the last attempt of each, as `a`. */
export const lastAttempts = () => sql`
  left join lateral (
    select status_code as last_status_code, error as last_error from webhook_attempts
    where workspace_id = d.workspace_id and endpoint_id = d.endpoint_id and sequence = d.sequence
    order by seq desc limit 1) a on true`

const toRecord = (row: Row): DeliveryRecord => timestamped({ ...row, sequence: Number(row.sequence) })

const attemptColumns = columns("webhook_attempts", "at, status_code, latency_ms, error, response, signature")
const contentColumns = columns("events", "generation, data, occurred_at")
const LOGGED = 50

/** Deliveries to an endpoint, newest first. Errors: webhook_endpoint_not_found, validation_failed for a cursor. */
export async function listDeliveries(
  workspaceId: string,
  endpointId: string,
  {
    status,
    type,
    events,
    limit,
    cursor,
  }: {
    status?: DeliveryStatus | undefined
    type?: EventType | undefined
    /** The ids of the events, of which each has at most one delivery. */
    events?: readonly string[] | undefined
    limit: number
    cursor?: string | undefined
  },
): Promise<{ data: DeliveryRecord[]; next_cursor: string | null }> {
  await readEndpoint(sql, workspaceId, endpointId)
  const before = cursor === undefined ? null : sequenceOf(cursor)
  const rows = await sql<Row[]>`
    select ${fields()}
    from webhook_deliveries d join events e on e.workspace_id = d.workspace_id and e.sequence = d.sequence
      ${lastAttempts()}
    where d.workspace_id = ${workspaceId} and d.endpoint_id = ${endpointId}
      ${status === undefined ? sql`` : sql`and d.status = ${status}`}
      ${type === undefined ? sql`` : sql`and e.type = ${type}`}
      ${events === undefined ? sql`` : sql`and e.id = any(${events as string[]})`}
      ${before === null ? sql`` : sql`and d.sequence < ${before}`}
    order by d.sequence desc limit ${limit + 1}`
  const data = rows.slice(0, limit).map(toRecord)
  return { data, next_cursor: rows.length > limit ? cursorOf(data.at(-1)!.sequence) : null }
}

const cursorOf = (sequence: number): string => Buffer.from(`dlv:${sequence}`).toString("base64url")

function sequenceOf(cursor: string): number {
  const [, digits] = /^dlv:([1-9][0-9]{0,14})$/.exec(Buffer.from(cursor, "base64url").toString("latin1")) ?? []
  return digits === undefined || cursorOf(Number(digits)) !== cursor ? badCursor() : Number(digits)
}

/** A delivery with its attempts. Errors: webhook_endpoint_not_found, webhook_delivery_not_found. */
export async function getDelivery(
  principal: Principal,
  endpointId: string,
  eventId: string,
): Promise<z.infer<typeof deliveryDetail>> {
  const { workspaceId } = principal
  await readEndpoint(sql, workspaceId, endpointId)
  const [row] = isId("evt", eventId)
    ? await sql<(Row & RowOf<typeof contentColumns>)[]>`
        select ${fields()}, ${sql(qualified("e", contentColumns))}
        from events e join webhook_deliveries d on d.workspace_id = e.workspace_id and d.sequence = e.sequence
          ${lastAttempts()}
        where e.workspace_id = ${workspaceId} and e.id = ${eventId} and d.endpoint_id = ${endpointId}`
    : []
  if (!row) return noDelivery()
  const { generation, data, occurred_at, ...delivery } = row
  const body = bodyOf(row)
  const attempts = await sql<RowOf<typeof attemptColumns>[]>`
    select ${sql(attemptColumns)} from webhook_attempts
    where workspace_id = ${workspaceId} and endpoint_id = ${endpointId} and sequence = ${row.sequence}
    order by seq desc limit ${LOGGED}`
  const unlessSecret = (text: string | null) => (text === null || maySeeSecrets(principal) ? text : MASKED)
  return {
    ...toRecord(delivery),
    body,
    attempt_log: attempts.map(({ signature, ...one }) => {
      const sent = unlessSecret(signature)
      const headers = sent === null ? null : headersOf(withSignature(sent, { id: row.event_id, at: one.at }), body)
      return { ...timestamped(one), response: unlessSecret(one.response), headers }
    }),
  }
}

const noDelivery = (): never =>
  fail(
    "webhook_delivery_not_found",
    "event_id: nothing was sent to this endpoint for an event with this id. List its deliveries.",
  )
