// Erasing a person's data.

/** Erasures. */
export {
  type Erased,
  eraseInvestor,
  eraseInvestorOnRequest,
  eraseWallet,
  eraseWalletOnRequest,
} from "./erase.ts"
export { clearRequests, namesOfErased } from "./clear-requests.ts"
export { erasureRecord, getErasure } from "./erasure-record.ts"

/** What a vendor has to erase. */
export {
  confirmRedaction,
  listRedactions,
  type Redaction,
  redactDue,
  redactLate,
  referenceOwner,
} from "./vendor-redactions.ts"
