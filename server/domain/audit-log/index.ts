// The audit log: who changed what.

/** Writing it, in the transaction of the change. */
export {
  type Author,
  actorOf,
  type Change,
  recordAccountChange,
  recordChange,
  recordChanges,
  theOperator,
  vouch,
} from "./record.ts"
export { withoutSearch } from "./without-search.ts"
export { countChanges } from "./daily-limit.ts"
export type { AuditAction } from "./actions.ts"

/** Reading it. */
export { type AuditFilter, auditFilter, listAuditEntries } from "./read.ts"
export { exportAuditLog } from "./export.ts"

/** Its hash chain. */
export { showHash } from "./chain.ts"
export { linkEntries } from "./link.ts"
export { explorerOfTransaction, readAuditProof } from "./proof.ts"
