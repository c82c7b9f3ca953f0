// Token accounts: their addresses, and queueing that they are frozen or thawed.

/** Addresses. */
export { accountName, assetMintOf, assetMintPlace, isOwn, ownAmong } from "./asset-accounts.ts"

/** Reconciling an account with what its wallet may do. */
export { enqueueReconcile, followFreeze, reconcileVerified, reconciliation } from "./reconcile.ts"

/** What creating a mint, and moving its authority, share for credentials and tokens. */
export { authorityMove, mintEffects, planMoves, recoverMintCreation, type SeenAuthorities } from "./mint-operations.ts"
