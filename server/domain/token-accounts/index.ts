// Token accounts: their addresses, and queueing that they are frozen or thawed.

/** Addresses. */
export { accountName, assetMintOf, assetMintPlace } from "./asset-accounts.ts"
export { isOwn, ownAmong } from "./own-addresses.ts"

/** Reconciling an account with its wallet's verification. */
export { enqueueReconcile, followVerification, reconciliation } from "./reconcile.ts"

/** What creating a mint, and moving its authority, share for credentials and tokens. */
export { authorityMove, mintEffects, planMoves, recoverMintCreation, type SeenAuthorities } from "./mint-operations.ts"
