import { sql } from "#db/client.ts"
import type { RowOf } from "#db/rows.ts"
import { type EventRecord, eventColumns, toEventRecord } from "#domain/events"
import type { Principal } from "#domain/requests"
import { getDelivery, listDeliveries } from "#domain/webhooks"
import { namesIn } from "./events.ts"

type Search = { id: string } & Parameters<typeof listDeliveries>[2]

/** Deliveries to an endpoint with their events and the names in them. Errors: those of `listDeliveries`. */
export async function searchDeliveries(principal: Principal, { id, ...filter }: Search) {
  const { workspaceId } = principal
  const { data, next_cursor } = await listDeliveries(workspaceId, id, filter)
  const rows = await sql<RowOf<typeof eventColumns>[]>`
    select ${sql(eventColumns)} from events
    where workspace_id = ${workspaceId} and id = any(${data.map(({ event_id }) => event_id)})`
  const events = new Map(rows.map((row) => [row.id, toEventRecord(row)]))
  return {
    data: data.flatMap((delivery) => {
      const event = events.get(delivery.event_id)
      // An event that was dropped since, because of its age, takes its deliveries with it.
      return event ? [{ ...delivery, event }] : []
    }),
    next_cursor,
    ...(await namesIn(principal, [...events.values()])),
  }
}

/** A delivery with its event and the names in it. Errors: those of `getDelivery`. */
export async function viewDelivery(principal: Principal, endpointId: string, eventId: string) {
  const delivery = await getDelivery(principal, endpointId, eventId)
  const event = JSON.parse(delivery.body) as EventRecord
  return { ...delivery, event, ...(await namesIn(principal, [event])) }
}
