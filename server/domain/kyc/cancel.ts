import { type Queryable, repeatOnDeadlock, sql } from "#db/client.ts"
import { publish, publishActivity } from "#db/pubsub.ts"
import { columns, type RowOf } from "#db/rows.ts"
import { endPending, statusAt } from "#domain/attestations"
import { recordChange } from "#domain/audit-log"
import { type Command, claimKey } from "#domain/requests"
import { refuseToEndAlone } from "#domain/reviews"
import { isId } from "#server/lib/ids.ts"
import { clock } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import type { SessionRecord } from "./session-record.ts"
import { getSession, sessionNotFound } from "./sessions.ts"

const cancelledColumns = columns("attestations", "id, status, open_until, issued_at, expires_at, verified_at")

/**
 * Cancels an undecided session and returns its unit of quota. Returns an ended session unchanged. Refuses an approved
 * one, because revoking is a separate decision. Errors: session_not_found, session_approved, review_open.
 */
export async function cancelSession(
  command: Command & { sessionId: string; reason: string | null },
): Promise<SessionRecord> {
  const { principal, requestId, idempotency, sessionId, reason } = command
  if (!isId("sess", sessionId)) return sessionNotFound()
  const { workspaceId } = principal
  const now = clock.now()
  const claim = idempotency?.begun === null ? idempotency : null
  const cancel = async (sql: Queryable): Promise<void> => {
    const [row] = await sql<RowOf<typeof cancelledColumns>[]>`
      select ${sql(cancelledColumns)} from attestations
      where workspace_id = ${workspaceId} and session_id = ${sessionId} for update`
    if (!row) return sessionNotFound()
    refuseApproved(row, now)
    if (claim) await claimKey(sql, claim, sessionId)
    if (statusAt(row, now) !== "pending" || row.issued_at !== null) return
    const author = { principal, requestId }
    await refuseToEndAlone(sql, { workspaceId, author, attestationIds: [row.id] })
    const end = { status: "rejected", reason, revokedAt: now, now } as const
    await endPending(sql, { workspaceId, attestationId: row.id, ...end })
    // The page must not suggest that a check of the investor failed.
    await sql`
      update attestations set public_reason = 'withdrawn' where workspace_id = ${workspaceId} and id = ${row.id}`
    await recordChange(sql, workspaceId, { author, action: "session.cancelled", subject: row.id })
  }
  await repeatOnDeadlock(() => sql.begin(cancel))
  publish("ledger")
  publishActivity(workspaceId)
  return getSession(principal, sessionId)
}

function refuseApproved(row: RowOf<typeof cancelledColumns>, now: Date): void {
  const isOnItsWay = row.issued_at !== null && statusAt(row, now) === "pending"
  if (row.verified_at === null && !isOnItsWay) return
  fail(
    "session_approved",
    `id: this session is approved, so there is nothing to cancel. To end what it verified, revoke ${row.id}.`,
  )
}
