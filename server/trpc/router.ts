import { activityRouter } from "./routers/activity.ts"
import { approvalPolicyRouter, approvalRouter } from "./routers/approvals.ts"
import { attestationRouter } from "./routers/attestations.ts"
import { auditRouter } from "./routers/audit-log.ts"
import { bulkRevocationRouter } from "./routers/bulk-revocations.ts"
import { distributionRouter } from "./routers/distributions.ts"
import { erasureRouter } from "./routers/erasures.ts"
import { eventRouter } from "./routers/events.ts"
import { findRouter } from "./routers/find.ts"
import { healthRouter } from "./routers/health.ts"
import { holdRouter } from "./routers/holds.ts"
import { verificationRouter } from "./routers/hosted-page.ts"
import { investorRouter } from "./routers/investors.ts"
import { keyRouter } from "./routers/keys.ts"
import { kycRouter } from "./routers/kyc.ts"
import { mintConfigRouter } from "./routers/mint-configs.ts"
import { monitoringRouter } from "./routers/monitoring.ts"
import { overviewRouter } from "./routers/overview.ts"
import { memberRouter, meRouter, setupRouter } from "./routers/people.ts"
import { recoveryRouter } from "./routers/recoveries.ts"
import { requestRouter } from "./routers/requests.ts"
import { reviewRouter } from "./routers/reviews.ts"
import { savedFilterRouter } from "./routers/saved-filters.ts"
import { schemaRouter } from "./routers/schemas.ts"
import { sessionRouter } from "./routers/sessions.ts"
import { snapshotRouter } from "./routers/snapshots.ts"
import { tokenRouter } from "./routers/tokens.ts"
import { transactionRouter } from "./routers/transactions.ts"
import { treasuryRouter } from "./routers/treasury.ts"
import { usageRouter } from "./routers/usage.ts"
import { webhookRouter } from "./routers/webhooks.ts"
import { workspaceRouter } from "./routers/workspaces.ts"
import { router } from "./trpc.ts"

/** All procedures of Vouch. REST offers those with `meta.openapi`, the pages can call all of them. */
export const appRouter = router({
  kyc: kycRouter,
  attestation: attestationRouter,
  bulkRevocation: bulkRevocationRouter,
  investor: investorRouter,
  review: reviewRouter,
  approval: approvalRouter,
  approvalPolicy: approvalPolicyRouter,
  savedFilter: savedFilterRouter,
  schema: schemaRouter,
  key: keyRouter,
  request: requestRouter,
  audit: auditRouter,
  token: tokenRouter,
  hold: holdRouter,
  recovery: recoveryRouter,
  snapshot: snapshotRouter,
  distribution: distributionRouter,
  treasury: treasuryRouter,
  mintConfig: mintConfigRouter,
  usage: usageRouter,
  event: eventRouter,
  find: findRouter,
  webhook: webhookRouter,
  health: healthRouter,
  verification: verificationRouter,
  activity: activityRouter,
  overview: overviewRouter,
  monitoring: monitoringRouter,
  session: sessionRouter,
  erasure: erasureRouter,
  transaction: transactionRouter,
  me: meRouter,
  setup: setupRouter,
  member: memberRouter,
  workspace: workspaceRouter,
})

export type AppRouter = typeof appRouter
