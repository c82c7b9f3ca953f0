// Snapshots: who held a token on a record date, with a hash on chain.

/** Asking for one. */
export { createSnapshot } from "./request.ts"

/** Reading. */
export { exportSnapshot, snapshotQuery } from "./export.ts"
export { listSnapshotHolders, listSnapshots, readSnapshot, readSnapshotCsv, snapshotHolderList } from "./read.ts"
export { snapshotList, snapshotRecord } from "./snapshot.ts"

/** Its holders, for those who pay them. */
export { readySnapshot } from "./read.ts"
export { holdersOf, type RecordDate } from "./holders.ts"

/** Completing. */
export { anchor } from "./anchor.ts"
export { advanceSnapshots } from "./advance.ts"
