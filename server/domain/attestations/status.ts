import { sql } from "#db/client.ts"
import type { TableRow } from "#db/rows.ts"
import type { AttestationStatus, SessionState, ShownStatus } from "#shared/statuses.ts"

type Row<Column extends keyof TableRow<"attestations">> = Pick<TableRow<"attestations">, Column>

/** An attestation's status at a time, so that a late sweep is never visible. */
export function statusAt(row: Row<"status" | "open_until" | "expires_at">, now: Date): AttestationStatus {
  const { status, open_until, expires_at } = row
  if (status === "pending" && open_until !== null && open_until <= now) return "expired"
  if ((status === "verified" || status === "pending") && expires_at !== null && expires_at <= now) return "expired"
  return status
}

/** The status at a time, for screens, filters and files. */
export function shownStatusAt(row: Row<"status" | "open_until" | "expires_at" | "revoked_at">, now: Date): ShownStatus {
  const status = statusAt(row, now)
  return status === "rejected" && row.revoked_at !== null ? "revoked" : status
}

/** The same decision in SQL, to filter by. */
export const statusInSql = (now: Date) => sql`
  case
    when status = 'pending' and (open_until <= ${now} or expires_at <= ${now}) then 'expired'
    when status = 'verified' and expires_at <= ${now} then 'expired'
    else status
  end`

/** The shown status in SQL, to count by. */
export const shownStatusInSql = (now: Date) => sql`
  case when status = 'rejected' and revoked_at is not null then 'revoked' else ${statusInSql(now)} end`

/** A session's state at a given time, so that a late sweep is never visible. */
export function sessionStateAt(
  row: Row<"status" | "open_until" | "issued_at" | "expires_at" | "verified_at" | "revoked_at" | "event_decision">,
  now: Date,
): SessionState {
  if (row.verified_at !== null) return "verified"
  if (row.status === "rejected") return row.revoked_at === null ? "rejected" : "cancelled"
  const isOver = [row.open_until, row.expires_at].some((end) => end !== null && end <= now)
  if (row.status === "expired" || isOver) return "expired"
  if (row.issued_at !== null) return "approved"
  return row.event_decision === "in_review" ? "in_review" : "open"
}

/** The recorded state. Keep this text identical to the expression of the index on sessions. */
const recorded = () => sql`
  (case when verified_at is not null then 'verified' when status = 'rejected' and revoked_at is null then 'rejected' when status = 'rejected' then 'cancelled' when status = 'expired' then 'expired' when issued_at is not null then 'approved' when event_decision = 'in_review' then 'in_review' else 'open' end)`

/** The same as a condition that the index serves. A session whose time is over matches once the sweep has closed it. */
export function inSessionState(state: SessionState, now: Date) {
  const isUnderWay = state === "open" || state === "in_review" || state === "approved"
  const inTime = sql`and (open_until is null or open_until > ${now}) and (expires_at is null or expires_at > ${now})`
  return sql`and ${recorded()} = ${state} ${isUnderWay ? inTime : sql``}`
}
