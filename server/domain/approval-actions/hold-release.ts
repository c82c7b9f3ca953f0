import { releaseHold } from "#domain/tokens"
import { act } from "./act.ts"

/** The member who approves does not wait for the chain. */
export const holdRelease = act((verb, { subject: holdId }) => releaseHold({ ...verb, holdId, respondAsync: true }))
