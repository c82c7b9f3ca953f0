import { type Queryable, sql } from "#db/client.ts"
import { columns, type RowOf } from "#db/rows.ts"
import { toTimestamp } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import type { Standing } from "#shared/statuses.ts"

const standingColumns = columns(
  "attestations",
  "wallet, status, created_at, open_until, issued_at, expires_at, verified_at, revoked_at, ended_at, event_at, event_decision",
)
export type StandingRow = Omit<RowOf<typeof standingColumns>, "wallet">

/** `at`: until when it is verified, or since when it no longer is. Null while it is pending. */
export type StandingAt = { status: Standing; at: Date | null }

/** The same for screens. `status` is null for a wallet that had no attestation. */
export const shownStanding = (standing: StandingAt | undefined) => ({
  status: standing?.status ?? null,
  at: standing?.at ? toTimestamp(standing.at) : null,
})

/** Whether an attestation was in force at a moment, which may have passed. */
export const inForceAt = (at: Date) => sql`
  (verified_at <= ${at} and expires_at > ${at}
    and (ended_at is null or ended_at > ${at}) and (revoked_at is null or revoked_at > ${at}))`

/**
 * How each wallet stood with a schema at a moment, by the attestation in force, otherwise by the newest. A wallet that
 * had none is left out.
 */
export async function readStandings(
  sql: Queryable,
  workspaceId: string,
  { schemaId, wallets, at }: { schemaId: string; wallets: readonly Address[]; at: Date },
): Promise<Map<Address, StandingAt>> {
  const rows = await sql<RowOf<typeof standingColumns>[]>`
    select distinct on (wallet) ${sql(standingColumns)} from attestations
    where workspace_id = ${workspaceId} and schema_id = ${schemaId} and wallet = any(${wallets as Address[]})
      and created_at <= ${at}
    order by wallet, coalesce(${inForceAt(at)}, false) desc, seq desc`
  return new Map(rows.map((row) => [row.wallet, standingAt(row, at)]))
}

/** How a wallet stood by one attestation at a moment after its start. */
export function standingAt(row: StandingRow, at: Date): StandingAt {
  const { status, verified_at, revoked_at, ended_at, issued_at, expires_at, open_until } = row
  const isPast = (time: Date | null): time is Date => time !== null && time <= at
  if (isPast(verified_at)) {
    if (isPast(revoked_at)) return { status: "revoked", at: revoked_at }
    const end = ended_at && expires_at && ended_at < expires_at ? ended_at : (expires_at ?? ended_at)
    return isPast(end) ? { status: "expired", at: end } : { status: "verified", at: expires_at }
  }
  if (isPast(revoked_at)) return { status: "revoked", at: revoked_at }
  const due = isPast(issued_at) ? expires_at : open_until
  if (isPast(due) && !(ended_at && ended_at < due)) return { status: "session_expired", at: due }
  if (isPast(ended_at)) return { status: status === "rejected" ? "rejected" : "session_expired", at: ended_at }
  const isInReview = row.event_decision === "in_review" && isPast(row.event_at)
  return { status: isInReview ? "in_review" : "pending", at: null }
}
