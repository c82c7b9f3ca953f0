import { activityRouter } from "./activity/router.ts"
import { attestationRouter } from "./attestations/router.ts"
import { docsRouter } from "./docs/router.ts"
import { healthRouter } from "./health.ts"
import { keyRouter } from "./keys/router.ts"
import { kycRouter } from "./kyc/router.ts"
import { transactionRouter } from "./ledger/router.ts"
import { overviewRouter } from "./overview/router.ts"
import { requestRouter } from "./requests/router.ts"
import { schemaRouter } from "./schemas/router.ts"
import { sessionRouter } from "./sessions/router.ts"
import { mintConfigRouter } from "./tokens/config-router.ts"
import { tokenRouter } from "./tokens/router.ts"
import { auditRouter } from "./trail/router.ts"
import { router } from "./trpc.ts"
import { usageRouter } from "./usage/router.ts"
import { memberRouter, meRouter, setupRouter } from "./users/router.ts"
import { verificationRouter } from "./verification/router.ts"
import { workspaceRouter } from "./workspaces/router.ts"

/** Everything that Vouch can be asked: with `meta.openapi` over REST, all of it by the pages. */
export const appRouter = router({
  kyc: kycRouter,
  attestation: attestationRouter,
  schema: schemaRouter,
  key: keyRouter,
  request: requestRouter,
  audit: auditRouter,
  token: tokenRouter,
  mintConfig: mintConfigRouter,
  usage: usageRouter,
  health: healthRouter,
  verification: verificationRouter,
  activity: activityRouter,
  overview: overviewRouter,
  session: sessionRouter,
  transaction: transactionRouter,
  me: meRouter,
  setup: setupRouter,
  member: memberRouter,
  workspace: workspaceRouter,
  docs: docsRouter,
})

export type AppRouter = typeof appRouter
