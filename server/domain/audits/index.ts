// Reconciliation: compares the database with the chain.

/** All at once, for the command line; and on a schedule. */
export { auditDue, auditLedger } from "./audit-ledger.ts"
