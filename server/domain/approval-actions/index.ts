// What approvals are about: each act, and the decisions of members.

export { approveRequest, readRequest, rejectRequest, withdrawRequest } from "./decide.ts"
