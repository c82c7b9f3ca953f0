// Distributions: paying the holders of a token on a record date.

/** Drafting and paying. */
export { createDistribution } from "./create.ts"
export type { DistributionTerms } from "./plan.ts"
export { distributionPreview, previewDistribution } from "./preview.ts"
export { cancelDistribution, pauseDistribution, startDistribution } from "./start.ts"
export { releasePayout, retryPayout } from "./pay-later.ts"
export { countMarkable, markManyPaid, markPaid } from "./mark-paid.ts"
export { advanceDistributions } from "./advance.ts"

/** Reading. */
export { countPaid, listDistributions, listPayouts, readDistribution, readPayout } from "./read.ts"
export { distributionList, distributionRecord, distributionState, settlement } from "./distribution.ts"
export { payoutList, payoutRecord, payoutStatus } from "./payout.ts"
export { reportQuery, sendReport } from "./report.ts"
