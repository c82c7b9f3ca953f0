import { treasuryCodes } from "#shared/distributions.ts"

/** Refusals that every other payout would get, too: the distribution is paused instead, until their cause is removed. */
export const pausing: readonly string[] = [...treasuryCodes, "mint_paused", "sol_budget_exceeded"]
