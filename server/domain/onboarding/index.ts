// New accounts, with everything that one gets.

/** Creating one. */
export { type Account, AccountExists, createAccount, findAccount } from "./create-account.ts"

/** The first start of a deployment. */
export { type FirstStart, firstStart } from "./first-start.ts"
