import { sql } from "#db/client.ts"
import type { AttestationStatus, Decision, SessionState } from "#shared/statuses.ts"

/** The facts that determine a session's state. */
type Facts = {
  status: AttestationStatus
  open_until: Date | null
  issued_at: Date | null
  expires_at: Date | null
  verified_at: Date | null
  revoked_at: Date | null
  event_decision: Decision | null
}

/** A session's state at a given time, so that a late sweep is never visible. */
export function sessionStateAt(row: Facts, now: Date): SessionState {
  const { status, open_until, issued_at, expires_at, verified_at, revoked_at } = row
  if (verified_at !== null) return "verified"
  if (status === "rejected") return revoked_at === null ? "rejected" : "cancelled"
  const isOver = [open_until, expires_at].some((end) => end !== null && end <= now)
  if (status === "expired" || isOver) return "expired"
  if (issued_at !== null) return "approved"
  return row.event_decision === "in_review" ? "in_review" : "open"
}

/** The recorded state. Keep this text identical to the expression of the index on sessions. */
const recorded = () => sql`
  (case when verified_at is not null then 'verified' when status = 'rejected' and revoked_at is null then 'rejected' when status = 'rejected' then 'cancelled' when status = 'expired' then 'expired' when issued_at is not null then 'approved' when event_decision = 'in_review' then 'in_review' else 'open' end)`

/**
 * The same decision as a condition that the index serves. A session whose time is over matches once the sweep has
 * closed it.
 */
export function inSessionState(state: SessionState, now: Date) {
  const isUnderWay = state === "open" || state === "in_review" || state === "approved"
  const inTime = sql`and (open_until is null or open_until > ${now}) and (expires_at is null or expires_at > ${now})`
  return sql`and ${recorded()} = ${state} ${isUnderWay ? inTime : sql``}`
}
