// Screening wallets against lists of addresses.

/** Lists. */
export { digestsInUse, isScreening, ListWatch, listFacts, listTrouble, loadedLists } from "./lists.ts"
export {
  findListed,
  type ListedWallet,
  listsHolding,
  loadFrozen,
  loadListed,
} from "./listed.ts"

/** Hits and what happens on one. */
export { noteRefused, recordHit, refuseListed, reopenErased, reopenFrozen } from "./hits.ts"
export { clearHits } from "./clear.ts"
export { changePolicies, readPolicies } from "./policies.ts"
export { rescreenDue } from "./rescreen.ts"
