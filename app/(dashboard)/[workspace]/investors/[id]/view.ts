import type { RouterOutputs } from "#app/api.ts"

/** What the page of an investor shows. */
export type InvestorView = RouterOutputs["investor"]["view"]
