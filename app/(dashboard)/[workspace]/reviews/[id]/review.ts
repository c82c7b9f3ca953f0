import type { RouterOutputs } from "#app/api.ts"

/** A review with all that there is to know for a decision. */
export type Review = RouterOutputs["review"]["get"]
