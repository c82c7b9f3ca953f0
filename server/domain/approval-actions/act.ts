import { sql } from "#db/client.ts"
import { type ApprovalRow, type Approving, isRefusal, type Replay, voidApproval } from "#domain/approvals"
import type { ErrorCode } from "#shared/errors.ts"
import type { Action } from "./action.ts"

/** What a verb needs to do a stored request: the member who approves it, and the approval for it to take. */
export type Redo = Pick<Approving, "principal" | "requestId"> & { idempotency: null; replay: Replay }

/**
 * An act whose verb asks `underPolicy`, which takes the approval. If the verb finds nothing to do, or refuses before it
 * gets there, what the request was about has changed: the request is void.
 */
export const act = (redo: (verb: Redo, row: ApprovalRow) => Promise<unknown>): Action => ({
  async approve(approving, row) {
    const replay: Replay = { approving, isReached: false }
    const { principal, requestId } = approving
    try {
      await redo({ principal, requestId, idempotency: null, replay }, row)
    } catch (error) {
      if (replay.isReached || !isRefusal(error) || aboutApprover.includes(error.code)) throw error
      return endAsVoid(approving, `It can no longer be done. ${error.message}`)
    }
    if (!replay.isReached) await endAsVoid(approving, "Nothing is left to do.")
  },
})

/** Refusals of the member who approves, which leave the request to others. */
const aboutApprover: readonly ErrorCode[] = ["insufficient_scope", "second_person_required"]

const endAsVoid = (approving: Approving, reason: string): Promise<void> =>
  sql.begin((sql) => voidApproval(sql, approving, reason))
