// Recoveries: getting a lost wallet's tokens back to its investor.

/** Requesting and cancelling. */
export { requestRecovery, redoRecovery, type StoredRecovery } from "./request.ts"
export { cancelRecovery, type StoredCancel } from "./cancel.ts"

/** Reading. */
export { refusalOf } from "./conditions.ts"
export { listRecoveries, readRecovery } from "./read.ts"
export { recoveryList, recoveryReason, recoveryRecord } from "./recovery.ts"

/** Carrying on. */
export { advanceRecoveries } from "./advance.ts"
