// Tokens: configurations, movements, holders.

/** Configurations. */
export {
  type ConfigInput,
  changeableFields,
  configId,
  configInput,
  firstConfig,
  insertConfig,
  knownConfigId,
  loadConfigs,
  mintConfigRecord,
} from "./config.ts"
export { createConfig, getConfig, listConfigs, readConfig } from "./configs.ts"
export { applyConfig, configPatch, patchConfig, redoConfigChange } from "./change-config.ts"
export { setPaused } from "./pause.ts"
export { planByConfig } from "./plan-by-config.ts"
export { checkConfig, configIssues } from "./check-config.ts"
export { configView, viewConfig } from "./config-view.ts"

/** Minting and moving. */
export { amountField, storedAmount } from "./amount.ts"
export { listLots, lotPage } from "./lots/read-lots.ts"
export { lotField, pastLot } from "./lots/mint-lot.ts"
export { balanceOf, type Move, move } from "./move.ts"
export { preflightOf, replayMovement } from "./replay.ts"
export { formPreflight, type Intent, type Preflight, preflight, preflightRecord } from "./preflight.ts"

/** Payouts of distributions. */
export { operationsOfPayouts } from "./payout-operations.ts"
export { mintPayouts, recipientRefusals } from "./payouts.ts"

/** Freezing wallets. */
export { disclosureFor, EVERY_TOKEN } from "./holder-facts.ts"
export { freezeRecord, loadFreezes, setFrozen, type StoredUnfreeze, toShownFreezes, walletFreeze } from "./freezes.ts"

/** Lost wallets. */
export { barsOf, isBarred, isReceiving, readBars } from "./bars.ts"
export { configsHeldBy, type Progress, type Recovering, recoverPosition } from "./recover-position.ts"
export { recoveryRefusal } from "./recovery-checks.ts"
export { type PositionRecord, positionRecord, readPositions } from "./recovery-positions.ts"

/** Holds. */
export { availability, availabilityIn, readHeld } from "./holds/available.ts"
export { executeHold } from "./holds/execute.ts"
export { expireHolds, releaseExpired } from "./holds/expire.ts"
export { getHold, holdExecution, holdRecord, holdRelease, holdState, listHolds } from "./holds/hold.ts"
export { enqueueMoveHold } from "./holds/move.ts"
export { placeHold } from "./holds/place.ts"
export { releaseHold } from "./holds/release.ts"

/** Operations as clients see them. */
export {
  getOperation,
  listOperations,
  type OperationRecord,
  type OperationRow,
  OTHER_WALLET,
  operationKind,
  operationRecord,
  operationRows,
  operationStatus,
  reasonCode,
  requireConfig,
  toOperationRecord,
} from "./operation.ts"
export { operationDetail, readOperationDetail } from "./operation-detail.ts"

/** Holders and balances. */
export { holderList, listHolders, readStates } from "./holders.ts"
export { holderOrders, holderPage, readRegister } from "./register.ts"
export { exportHolders, registerQuery } from "./export-holders.ts"
export { readWalletBalances, walletBalances } from "./wallet-balances.ts"

/** The books. */
export { followHolders } from "./holder-movements/follow.ts"
export { datePostings } from "./postings/date.ts"
export {
  incompleteSince,
  momentIn,
  readRegisterAt,
  registerGroups,
  registerMoment,
  registerPage,
} from "./postings/register-at.ts"
export { registerOrders } from "./postings/register-order.ts"
export { holdersAt } from "./postings/register-rows.ts"
export { exportRegister, registerAtQuery } from "./postings/export-register.ts"
export { countRegister, registerCounts } from "./postings/count-register.ts"
export { registerView, viewRegister } from "./postings/register-view.ts"
export { finalMoment, type Moment, secondOf } from "./postings/moments.ts"

/** Kinds of operations. */
export { tokenOperations } from "./operations/all.ts"
export { moveAssetAuthority } from "./operations/move-asset-authority.ts"

/** Reconciliation. */
export { readReconcileProgress, reconcileDue } from "./reconcile-accounts.ts"
export { reopenedTooOften } from "./reopenings.ts"
export { auditTokenCounters, readCounted } from "./audit-counters.ts"
export { auditTokens } from "./audit-tokens.ts"
