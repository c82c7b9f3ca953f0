// Events: what happened in a workspace, in an order that clients can follow.

/** Records and lists. */
export { type EventRecord, eventRecord } from "./event-record.ts"
export { eventColumns, eventsOf, listEvents, toEventRecord } from "./list.ts"

/** Positions that clients continue from. */
export {
  checkPosition,
  cursorPattern,
  eventCursor,
  type Position,
  resumeCursorIn,
  sequenceOf,
  toCursor,
} from "./position.ts"

/** Scheduled work. */
export { sequenceEvents } from "./sequence.ts"
export { announceExpiring } from "./expiring.ts"
export { dropOldEvents } from "./drop.ts"
