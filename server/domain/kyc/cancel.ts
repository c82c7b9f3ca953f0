import { repeatOnDeadlock, sql, type Transaction } from "#db/client.ts"
import { publish, publishActivity } from "#db/pubsub.ts"
import { columns, type RowOf } from "#db/rows.ts"
import { type Decided, doneOf, type Replay, underPolicy } from "#domain/approvals"
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
 * one, because revoking is a separate decision. May need approval. Errors: session_not_found, session_approved,
 * review_open, approver_missing; throws AwaitingApproval.
 */
export async function cancelSession(
  command: Command & { sessionId: string; reason: string | null; replay?: Replay },
): Promise<SessionRecord> {
  const { principal, requestId, idempotency, sessionId, reason, replay } = command
  if (!isId("sess", sessionId)) return sessionNotFound()
  const { workspaceId } = principal
  const author = { principal, requestId }
  const now = clock.now()
  const claim = idempotency?.begun === null ? idempotency : null
  const cancel = async (sql: Transaction): Promise<Decided<void>> => {
    const [row] = await sql<RowOf<typeof cancelledColumns>[]>`
      select ${sql(cancelledColumns)} from attestations
      where workspace_id = ${workspaceId} and session_id = ${sessionId} for update`
    if (!row) return sessionNotFound()
    refuseApproved(row, now)
    const isOpen = statusAt(row, now) === "pending" && row.issued_at === null
    const end = async (sql: Transaction) => {
      if (claim) await claimKey(sql, claim, sessionId)
      if (!isOpen) return
      if (!replay) await refuseToEndAlone(sql, { workspaceId, author, attestationIds: [row.id] })
      const end = { status: "rejected", reason, revokedAt: now, now } as const
      await endPending(sql, { workspaceId, attestationId: row.id, ...end })
      // The page must not suggest that a check of the investor failed.
      await sql`
        update attestations set public_reason = 'withdrawn' where workspace_id = ${workspaceId} and id = ${row.id}`
      await recordChange(sql, workspaceId, { author, action: "session.cancelled", subject: row.id })
    }
    if (!isOpen) return { done: await end(sql) }
    // By the attestation's id: anyone who has the session's can open the investor's page.
    const request = { attestation_id: row.id, ...(reason !== null && { reason }) }
    const about = { action: "session_cancel", subject: row.id, request, personal: ["reason"], rules: "" } as const
    return underPolicy(sql, workspaceId, { ...about, author, idempotency: claim, replay }, end)
  }
  const decided = await repeatOnDeadlock(() => sql.begin(cancel))
  publish("ledger")
  publishActivity(workspaceId)
  doneOf(decided)
  return getSession(principal, sessionId)
}

/** Cancels the session of an attestation, as was approved. */
export async function redoCancel({
  attestationId,
  ...command
}: Omit<Parameters<typeof cancelSession>[0], "sessionId"> & { attestationId: string }): Promise<SessionRecord> {
  const [row] = await sql<{ session_id: string }[]>`
    select session_id from attestations
    where workspace_id = ${command.principal.workspaceId} and id = ${attestationId}`
  return cancelSession({ ...command, sessionId: row?.session_id ?? "" })
}

function refuseApproved(row: RowOf<typeof cancelledColumns>, now: Date): void {
  const isOnItsWay = row.issued_at !== null && statusAt(row, now) === "pending"
  if (row.verified_at === null && !isOnItsWay) return
  fail(
    "session_approved",
    `id: this session is approved, so there is nothing to cancel. To end what it verified, revoke ${row.id}.`,
  )
}
