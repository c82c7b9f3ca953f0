import { repeatOnDeadlock, sql, type Transaction } from "#db/client.ts"
import { publish, publishActivity } from "#db/pubsub.ts"
import { type Decided, doneOf, dropApproval, type Replay, underPolicy } from "#domain/approvals"
import { lockOwners } from "#domain/attestations"
import { recordChange } from "#domain/audit-log"
import { type Command, claimKey } from "#domain/requests"
import { followFreeze } from "#domain/token-accounts"
import { isBarred } from "#domain/tokens"
import { clock } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import { readRecovery } from "./read.ts"
import { endingOf, findRecovery, type RecoveryRecord, type RecoveryRow } from "./recovery.ts"
import { close } from "./request.ts"

/** The request to lift a bar, as an approval stores it. */
export type StoredCancel = { recovery_id: string; user_pubkey: string }

const CANCELLED = { code: "cancelled", detail: "The recovery was cancelled." }

/**
 * Cancels a recovery. Before its tokens move, that lifts its bar of the lost wallet, which may need the approval of a policy
 * about unfreezing. Later it stops what has not begun to move, and the bar stays. Errors: recovery_not_found, recovery_ended, approver_missing; throws AwaitingApproval.
 */
export async function cancelRecovery({
  id,
  ...command
}: Command & { id: string; replay?: Replay }): Promise<RecoveryRecord> {
  const { principal, requestId, idempotency, replay } = command
  const { workspaceId } = principal
  if (idempotency?.begun) return readRecovery(principal, id)
  const author = { principal, requestId }
  const decided = await repeatOnDeadlock(() =>
    sql.begin(async (sql): Promise<Decided<void>> => {
      const { lost_wallet: wallet } = await findRecovery(sql, workspaceId, id)
      await lockOwners(sql, workspaceId, [wallet])
      const row = await findRecovery(sql, workspaceId, id, { lock: true })
      const { state } = endingOf(row)
      const isOpen = state === "barred" || state === "awaiting_approval"
      if (state === "in_progress") return { done: await stop(sql, command, row) }
      // One that was refused before it began still bars the wallet.
      if (!isOpen && (row.begun_at !== null || row.barred_at === null))
        fail("recovery_ended", `id: ${id} is ${state}, which is final.`)
      const cancel = async (sql: Transaction) => {
        if (idempotency) await claimKey(sql, idempotency, id)
        if (isOpen && row.approval_id !== null)
          await dropApproval(sql, author, { workspaceId, approvalId: row.approval_id, reason: CANCELLED.detail })
        await close(sql, row)
        await sql`
          update recoveries set state = case state when 'failed' then state else 'rejected' end, barred_at = null, error_code = coalesce(error_code, ${CANCELLED.code}),
            error_detail = coalesce(error_detail, ${CANCELLED.detail}), ended_at = coalesce(ended_at, ${clock.now()})
          where workspace_id = ${workspaceId} and id = ${id}`
        await followFreeze(sql, { workspaceId, wallet, mintConfig: null })
        const detail = { recovery: id }
        if (!(await isBarred(sql, workspaceId, wallet)))
          await recordChange(sql, workspaceId, { author, action: "wallet.unbarred", subject: wallet, detail })
        await recordChange(sql, workspaceId, { author, action: "recovery.cancelled", subject: id })
      }
      if (row.barred_at === null) return { done: await cancel(sql) }
      const request: StoredCancel = { recovery_id: id, user_pubkey: wallet }
      const about = { subject: wallet, request, isAboutAll: true, rules: row.barred_at.toISOString() }
      return underPolicy(sql, workspaceId, { action: "unfreeze", ...about, author, idempotency, replay }, cancel)
    }),
  )
  publish("ledger")
  publishActivity(workspaceId)
  doneOf(decided)
  return readRecovery(principal, id)
}

/** Stops one whose tokens move: what has begun ends, what is left stays, and so does the bar. */
async function stop(sql: Transaction, command: Command, { id, workspace_id }: RecoveryRow): Promise<void> {
  const { principal, requestId, idempotency } = command
  if (idempotency) await claimKey(sql, idempotency, id)
  await sql`
    update recoveries set state = 'failed', error_code = ${CANCELLED.code}, error_detail = ${CANCELLED.detail},
      ended_at = ${clock.now()}
    where workspace_id = ${workspace_id} and id = ${id} and state = 'in_progress'`
  const author = { principal, requestId }
  await recordChange(sql, workspace_id, { author, action: "recovery.cancelled", subject: id })
}
