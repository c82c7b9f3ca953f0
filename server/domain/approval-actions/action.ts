import type { ApprovalRow, Approving } from "#domain/approvals"

export type Action = {
  /**
   * Takes a member's approval with `takeApproval`, and if it was the last one needed, does what was requested: with the
   * verb that a request without a policy calls, in the same commit.
   */
  approve(approving: Approving, row: ApprovalRow): Promise<void>
}
