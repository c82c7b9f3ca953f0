import type { RouterOutputs } from "#app/api.ts"

/** The data of an investor's page. */
export type InvestorView = RouterOutputs["investor"]["view"]
