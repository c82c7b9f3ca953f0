/**
 * The entry point of the ledger. Other folders import only this module, and `npm run walls` checks it.
 *
 * Five calls carry out an effect on chain:
 *
 * 1. `defineOperation({ kind, payload, plan, settle, … })` describes a kind of operation, and `new Operations([…])`
 *    lists all kinds. Amounts in a payload are base units. A definition's `plan` reads only the database.
 * 2. `enqueue(sql, workspaceId, definition, { payload, writes, reads })` queues an operation and returns its id
 *    (`op_…`). `writes` and `reads` name accounts, by address or in any other unique way. Operations conflict if one
 *    writes an account that the other writes or reads, and then run one after the other: urgent ones first, then in
 *    order. Pass the transaction of the state change that needs the operation, and call `publish("ledger")` after the
 *    commit. `enqueueAll` queues several rows that `toRow` made.
 * 3. `voidPlans(sql, workspaceId)` makes operations that are being signed be planned again. Call it in the transaction
 *    of a change that they must respect, such as a pause. What is saved before that commit precedes the change. What is
 *    saved after it respects the change.
 * 4. `untilEnded(workspaceId, operationId, timeoutMs)` resolves when the operation is `confirmed` or `failed`, or after
 *    `timeoutMs` milliseconds, or when this process stops. It does not say which, so read the row. It never rejects.
 * 5. `new LedgerWorker(chain, options)` carries out the operations of one chain between `start()` and `stop()`. Any
 *    number of workers may run at the same time. `trouble` says what keeps it from working, or is null.
 *
 * An operation takes effect on chain at most once, even if any process ends at any moment. It ends as `confirmed`,
 * after its definition's `settle` has run in the same commit, or as `failed` with an `error_code`, after `release` has.
 * If a node or the database does not answer, it stays unfinished and is tried again. None of these calls throws because
 * of the chain. A call that takes `sql` rejects with the database's error.
 *
 * Everything else is for people who decide about a transaction whose outcome is unknown, for what follows a restore,
 * and for audits, health and old rows.
 */

export { archiveEnded, dropOldBytes, holdArchive } from "./archive.ts"
export {
  defineOperation,
  type Effect,
  type Lookup,
  Operations,
  type Plan,
  type Recovery,
  send,
  unclearEffects,
} from "./definition.ts"
export { examine, findStillValid, isLate } from "./evidence.ts"
export { batchSize, whileWaiting } from "./fair-share.ts"
export { authorityForNew, type Issuer, issuedBy, readAuthorities, readFeePayer } from "./issuer.ts"
export { voidPlans } from "./lease.ts"
export { enqueue, enqueueAll, type Operation, type Refusal, toRow } from "./operation.ts"
export { askQuorum, confirmNothingToDo, hasOneNode } from "./quorum.ts"
export {
  type Audited,
  auditOperations,
  type Difference,
  differs,
  emptyReport,
  inform,
  type Report,
} from "./reconciliation/operations.ts"
export { readAges, readAudits, readDepths, reportOn, troubleIn } from "./report.ts"
export type { Carried } from "./restore/carried.ts"
export { Comparison } from "./restore/comparison.ts"
export { readQuarantine, recheckQuarantines, refuseInQuarantine, whyStopped } from "./restore/quarantine.ts"
export { markCompared, readState, serverRun } from "./restore/state.ts"
export { settleConfirmed, settleExpired } from "./settle.ts"
export { endWaits, operationWait, untilEnded } from "./wait.ts"
export { LedgerWorker } from "./worker.ts"
