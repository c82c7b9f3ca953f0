import { type ApprovalRow, type Approving, settleApproval, takeApproval } from "#domain/approvals"
import { replayMovement } from "#domain/tokens"
import type { MovementKind } from "#shared/movements.ts"
import type { Action } from "./action.ts"

/** A movement of tokens: the last approval is taken in the commit that checks the rules and reserves. */
export const movement = (kind: MovementKind): Action => ({
  async approve(approving: Approving, { id, subject, request }: ApprovalRow) {
    let taken: ApprovalRow
    await replayMovement(approving, kind, request, {
      approvalId: id,
      operationId: subject,
      async take(sql, current) {
        const { act, row } = await takeApproval(sql, approving, current)
        taken = row
        return act
      },
      settle: (sql, refusal) =>
        settleApproval(sql, taken, refusal === null ? { operationId: taken.operation_id } : { refusal }),
    })
  },
})
