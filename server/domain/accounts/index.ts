// Accounts and their workspaces: plans, quota and spending, API keys, brand and security.

/** Plans, and the quota of verifications. */
export { includedIn, type PlanName, plans, secondsLeftIn } from "./plans.ts"
export { quotaExceeded, takingUnit, auditQuota } from "./quota.ts"

/** Usage and the monthly spending limit. */
export { MAX_MONTHS, readUsage, readUsageHistory } from "./usage.ts"
export { budgetRefusal, isOverBudget, overBudget, setBudget } from "./budget.ts"

/** The account's settings. */
export { listAccounts, renameAccount, setPlan } from "./accounts.ts"
export { setSecurity } from "./security.ts"
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
export { createKey, type NewKey } from "./keys/create.ts"
export { approveKey, collectKey, makeKey } from "./keys/members-keys.ts"
export { describeKey, listKeys } from "./keys/read.ts"
export { revokeKey, rotateKey, revokeKeysKnownTo } from "./keys/manage.ts"
export { inOtherMode } from "./other-mode.ts"
