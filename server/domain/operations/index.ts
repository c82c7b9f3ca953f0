// Every kind of operation, and what an operator can do about one.

/** The table of kinds. */
export { operations } from "./operations.ts"

/** Operations in doubt, and quarantine. */
export { type Evidence, gatherEvidence, resolveOperation } from "./resolve-operation.ts"
export { acceptQuarantine, type Quarantine, reconcileMode } from "./quarantine.ts"
