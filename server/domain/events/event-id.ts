import { derivedId } from "#server/lib/ids.ts"
import { type Staged, subjectFields } from "./staged.ts"

/**
 * An event's id is derived from its subject. An event that is lost with the database and happens again keeps its id.
 */
export const eventId = (event: Staged): `evt_${string}` =>
  derivedId("evt", JSON.stringify([event.workspace_id, event.type, ...subjectOf(event)]))

function subjectOf({ type, subject, data, occurred_at, seq }: Staged): unknown[] {
  if (subject !== null) return [subject]
  return subjectFields[type]?.map((field) => data[field]) ?? [data, occurred_at.toISOString(), seq]
}
