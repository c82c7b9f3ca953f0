// Who holds tokens that count investors: the person of each holding, and their slot.

/** The state in memory. */
export { type Held, InvestorBook, type Receiving, UNKNOWN } from "./book.ts"

/** Following changes: of verifications, persons and holdings. */
export {
  type Ending,
  followMerge,
  followMovements,
  followVerification,
  forgetHolders,
} from "./follow.ts"

/** Counting everything again, and comparing. */
export { countInvestors, forgetInvestors } from "./count.ts"
export { auditInvestors } from "./audit.ts"
