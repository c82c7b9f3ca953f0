import { eventTypes } from "#shared/event-types.ts"
import type { Event } from "./subject.ts"

/** What an event says has happened. A type that covers several endings is made precise by the event's data. */
export function whatHappened({ type, data }: Pick<Event, "type" | "data">): string {
  if (type !== "attestation.rejected") return eventTypes[type]
  const { revoked_at, issued_at } = data as { revoked_at?: string | null; issued_at?: string | null }
  if (!revoked_at) return "A verification was rejected"
  return issued_at ? "A verification was revoked" : "A verification was cancelled before it was issued"
}
