// The audit log: who changed what.

/** Writing it, in the transaction of the change. */
export {
  type Author,
  actorOf,
  recordAccountChange,
  recordChange,
  recordChanges,
  theOperator,
  vouch,
} from "./record.ts"
export { countChanges } from "./daily-limit.ts"

/** Reading it. */
export { auditFilter, listAuditEntries } from "./read.ts"
export { exportAuditLog } from "./export.ts"

/** Its hash chain. */
export { showHash } from "./chain.ts"
export { linkEntries } from "./link.ts"
export { readAuditProof } from "./proof.ts"
