// What a workspace pays with, and its payments.

/** Reading. */
export { readTreasury, treasuryRecord } from "./treasury.ts"
export { checkPaymentMints, paymentMintTrouble } from "./payment-mints.ts"

/** Paying. */
export { enqueuePayments } from "./enqueue-payments.ts"

/** Trying it. */
export { fundTestTreasury } from "./fund-test-treasury.ts"

/** Kinds of operations. */
export { pay } from "./operations/pay.ts"
