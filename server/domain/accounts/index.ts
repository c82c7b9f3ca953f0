// Accounts and their workspaces: plans, quota and spending, API keys, brand and security.

/** Plans, and the quota of verifications. */
export { includedIn, type PlanName, plans } from "./plans.ts"
export { quotaExceeded, takingUnit, auditQuota } from "./quota.ts"
export { secondsLeftIn } from "./period.ts"

/** Usage and the monthly spending limit. */
export { readUsage } from "./usage.ts"
export { MAX_MONTHS, readUsageHistory } from "./usage-history.ts"
export { budgetRefusal, isOverBudget, overBudget, setBudget } from "./budget.ts"

/** The account's settings. */
export { listAccounts, setPlan } from "./list.ts"
export { renameAccount } from "./rename.ts"
export { setSecurity } from "./security.ts"
export { turnOffFourEyes } from "./four-eyes.ts"
export { readWorkspace } from "./workspace.ts"

/** How the hosted page looks. */
export {
  type Brand,
  type BrandRow,
  brandColor,
  brandColumns,
  brandOf,
  contact,
  findLogo,
  readBrand,
  setBrand,
  setLogo,
} from "./brand.ts"

/** API keys. */
export { authenticate } from "./keys/authenticate.ts"
export { createKey } from "./keys/create.ts"
export { describeKey } from "./keys/describe.ts"
export { listKeys } from "./keys/list.ts"
export { requireScopes, revokeKey, rotateKey, revokeKeysKnownTo } from "./keys/manage.ts"
export { inOtherMode } from "./other-mode.ts"
