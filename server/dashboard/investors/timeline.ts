import { columns, type RowOf } from "#db/rows.ts"
import { decidedAt, statusAt } from "#domain/attestations"
import { toTimestamp } from "#server/lib/time.ts"

export const lifeColumns = columns(
  "attestations",
  "id, seq, wallet, schema_id, status, created_at, consented_at, event_at, event_decision, review_id, reviewed_at",
  "open_until, issued_at, expires_at, verified_at, revoked_at, ended_at, reason",
)
export type LifeRow = RowOf<typeof lifeColumns>

/** An entry of an investor's timeline. */
export type InvestorEvent = {
  event:
    | "first_seen"
    | "started"
    | "consented"
    | "approved"
    | "rejected"
    | "verified"
    | "revoked"
    | "expired"
    | "superseded"
    | "wallet_added"
    | "erased"
  at: string
  attestation_id: string | null
  user_pubkey: string | null
  schema: string | null
}

type Moment = { event: InvestorEvent["event"]; at: Date }

/** The entries of several attestations, newest first. `rows` are those of one investor, newest first. */
export function investorTimeline(
  rows: readonly LifeRow[],
  { firstSeenAt, erasedAt, now }: { firstSeenAt: Date | null; erasedAt: Date | null; now: Date },
): InvestorEvent[] {
  const noSubject = { attestation_id: null, user_pubkey: null, schema: null }
  const seen = new Set<string>()
  const moments = [
    ...(firstSeenAt ? [{ event: "first_seen" as const, at: firstSeenAt, ...noSubject }] : []),
    ...rows.toReversed().flatMap((row) => {
      const of = { attestation_id: row.id, user_pubkey: row.wallet, schema: row.schema_id }
      const isNew = seen.size > 0 && !seen.has(row.wallet)
      seen.add(row.wallet)
      const added = isNew ? [{ event: "wallet_added" as const, at: row.created_at }] : []
      return [...added, ...momentsOf(row, now)].map((moment) => ({ ...moment, ...of }))
    }),
    ...(erasedAt ? [{ event: "erased" as const, at: erasedAt, ...noSubject }] : []),
  ]
  return moments
    .map((moment, n) => ({ moment, n }))
    .sort((a, b) => b.moment.at.getTime() - a.moment.at.getTime() || b.n - a.n)
    .map(({ moment }) => ({ ...moment, at: toTimestamp(moment.at) }))
}

function momentsOf(row: LifeRow, now: Date): Moment[] {
  const { created_at, consented_at, issued_at, verified_at } = row
  const moments: Moment[] = [{ event: "started", at: created_at }]
  if (consented_at) moments.push({ event: "consented", at: consented_at })
  // This time is precise only to the second, so it may be before an earlier event.
  if (issued_at) moments.push({ event: "approved", at: latest(issued_at, consented_at ?? created_at) })
  if (verified_at) moments.push({ event: "verified", at: verified_at })
  const ending = endingOf(row, now)
  return ending ? [...moments, ending] : moments
}

/** How it ended, by its current status, even before a sweep has recorded it. */
function endingOf(row: LifeRow, now: Date): Moment | null {
  const { revoked_at, ended_at, verified_at, issued_at, expires_at, open_until, reason } = row
  if (revoked_at) return { event: "revoked", at: revoked_at }
  const status = statusAt(row, now)
  if (status === "rejected") {
    const at = decidedAt(row) ?? ended_at
    return at && { event: "rejected", at }
  }
  if (status !== "expired") return null
  if (reason === "superseded" && ended_at) return { event: "superseded", at: ended_at }
  const due = verified_at || issued_at ? expires_at : open_until
  const at = due && ended_at && ended_at < due ? ended_at : (due ?? ended_at)
  return at && { event: "expired", at }
}

const latest = (a: Date, b: Date): Date => (a < b ? b : a)
