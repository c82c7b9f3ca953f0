// Snapshots of a token's register, in the words of the API.

/** `ready` is final, except that a transaction on chain follows. `failed`: the hash could not be put on chain. */
export const snapshotStates = ["scheduled", "ready", "failed"] as const
export type SnapshotState = (typeof snapshotStates)[number]
