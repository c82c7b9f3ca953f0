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
import { endingOf, findRecovery, type RecoveryRecord } from "./recovery.ts"
import { close } from "./request.ts"

/** The request to lift a bar, as an approval stores it. */
export type StoredCancel = { recovery_id: string; user_pubkey: string }

const CANCELLED = { code: "cancelled", detail: "The recovery was cancelled." }

/**
 * Cancels a recovery before tokens move, and lifts its bar of the lost wallet. Lifting it may need the approval of a policy
 * about unfreezing. Errors: recovery_not_found, recovery_ended, approver_missing; throws AwaitingApproval.
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
      // One that was refused before it began still bars the wallet.
      if (!isOpen && (row.begun_at !== null || row.barred_at === null))
        fail("recovery_ended", `id: ${id} is ${state}. Only a recovery that has not begun can be cancelled.`)
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
