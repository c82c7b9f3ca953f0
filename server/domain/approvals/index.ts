// Approvals: what two people decide together.

/** Policies. */
export { type Binding, bindingPolicy, type Policy } from "./policy.ts"
export {
  applyPolicyRequest,
  bindingColumn,
  changePolicy,
  createPolicy,
  listPolicies,
  loadBinding,
  type PolicyRequest,
  policyInput,
  policyPatch,
  type PolicyRecord,
  policyRecord,
  policyVersion,
} from "./policies.ts"
export { readPolicies } from "./overview.ts"

/** Requests that wait. */
export {
  type ApprovalRecord,
  type ApprovalRow,
  approvalOfOperation,
  approvalRecord,
  findApproval,
  stateOf,
  toApprovalRecord,
} from "./approval.ts"
export { approversOf, missingApprovers, requesterOf, validApprovals, withApprovers } from "./approvers.ts"
export { askApproval } from "./ask.ts"
export {
  AwaitingApproval,
  awaitedBy,
  type Decided,
  doneOf,
  isRefusal,
  type Replay,
  underPolicy,
} from "./under-policy.ts"
export {
  countApprovals,
  countApprovalsFor,
  expireApprovals,
  getApproval,
  listApprovals,
  searchApprovals,
} from "./read.ts"
export {
  type Approving,
  type Current,
  dropApproval,
  rejectApproval,
  settleApproval,
  takeApproval,
  voidApproval,
  withdrawApproval,
} from "./take.ts"
