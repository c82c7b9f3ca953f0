import type { RouterOutputs } from "#app/api.ts"

export type InvestorView = RouterOutputs["investor"]["view"]
