import { sql } from "#db/client.ts"
import type { RowOf } from "#db/rows.ts"
import { type EventRecord, eventColumns, toEventRecord } from "#domain/events"
import type { Principal } from "#domain/requests"
import { getDelivery, listDeliveries } from "#domain/webhooks"
import { findEvents, namesIn } from "./events.ts"

type Search = { id: string; about?: string | undefined } & Omit<Parameters<typeof listDeliveries>[2], "events">

/**
 * Deliveries to an endpoint with their events and the names in them. With `about`, those of the events that it finds: a
 * page may have fewer than `limit`, or none, and still a cursor. Errors: those of `listDeliveries` and `findEvents`.
 */
export async function searchDeliveries(principal: Principal, { id, about, ...filter }: Search) {
  const { workspaceId } = principal
  const { data, next_cursor } =
    about === undefined
      ? await listDeliveries(workspaceId, id, filter)
      : await deliveriesAbout(workspaceId, id, { about, ...filter })
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

type About = Omit<Search, "id"> & { about: string }

async function deliveriesAbout(workspaceId: string, id: string, { about, status, type, limit, cursor }: About) {
  const found = await findEvents(workspaceId, { about, type, limit, cursor })
  const { data } = await listDeliveries(workspaceId, id, { status, events: found.data.map((event) => event.id), limit })
  return { data, next_cursor: found.next_cursor }
}

/** A delivery with its event and the names in it. Errors: those of `getDelivery`. */
export async function viewDelivery(principal: Principal, endpointId: string, eventId: string) {
  const delivery = await getDelivery(principal, endpointId, eventId)
  const event = JSON.parse(delivery.body) as EventRecord
  return { ...delivery, event, ...(await namesIn(principal, [event])) }
}
