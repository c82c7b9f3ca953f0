import type { RouterOutputs } from "#app/(dashboard)/workspace.tsx"
import type { Settlement } from "#shared/distributions.ts"

export type Distribution = RouterOutputs["distribution"]["get"]
export type Payout = RouterOutputs["distribution"]["payouts"]["data"][number]

/** How a distribution is paid, as the form says it. */
export const settlementWords = {
  stablecoin: "Stablecoin out of the treasury",
  in_kind: "New tokens of the same kind",
  external: "Paid elsewhere",
} as const satisfies Record<Settlement, string>
