// How a lost wallet's tokens get to another wallet of the same investor, in the words of the API.

/**
 * `barred`: nothing enters or leaves the lost wallet, and its tokens wait for a new one. `completed`, `rejected` and
 * `failed` are final.
 */
export const recoveryStates = ["barred", "awaiting_approval", "in_progress", "completed", "rejected", "failed"] as const
export type RecoveryState = (typeof recoveryStates)[number]

/** Why a wallet is recovered. */
export const recoveryReasons = ["lost_wallet", "compromised", "estate"] as const
export type RecoveryReason = (typeof recoveryReasons)[number]
