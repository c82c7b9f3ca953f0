// Anchors: hashes of the audit log's chain, put on chain once a day.

export { anchorAuditLog } from "./operation.ts"
export { anchorAuditLogs } from "./anchor-audit-logs.ts"
