// Erasing a person's data.

/** Erasures. */
export { type Erased, eraseInvestor, eraseWallet } from "./erase.ts"
export { eraseInvestorOnRequest, eraseWalletOnRequest } from "./erase-on-request.ts"
export { erasureRecord, getErasure } from "./erasure-record.ts"

/** What a vendor has to erase. */
export { redactDue, redactLate, referenceOwner } from "./vendor-redactions.ts"
export { confirmRedaction, listRedactions, type Redaction } from "./redactions.ts"
