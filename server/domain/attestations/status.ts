import { sql } from "#db/client.ts"
import type { AttestationStatus, ShownStatus } from "#shared/statuses.ts"

/** An attestation's status at a time, so that a late sweep is never visible. */
export function statusAt(
  row: { status: AttestationStatus; open_until: Date | null; expires_at: Date | null },
  now: Date,
): AttestationStatus {
  const { status, open_until, expires_at } = row
  if (status === "pending" && open_until !== null && open_until <= now) return "expired"
  if ((status === "verified" || status === "pending") && expires_at !== null && expires_at <= now) return "expired"
  return status
}

/** The status at a time, for screens, filters and files. */
export function shownStatusAt(
  row: Parameters<typeof statusAt>[0] & { revoked_at: Date | null },
  now: Date,
): ShownStatus {
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
