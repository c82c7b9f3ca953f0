import { z } from "zod"
import type { Principal } from "#domain/requests"
import { amountText } from "#server/lib/fields.ts"
import { fromBaseUnits } from "#shared/amount.ts"
import { type DistributionTerms, planDistribution } from "./plan.ts"

export const distributionPreview = z.object({
  payouts: z.number().int(),
  /** What the holders get together. */
  allocated: amountText,
  /** What no one gets. */
  remainder: amountText,
  /** What a whole token gets, rounded down to some more places than amounts have. */
  per_unit: amountText,
  smallest: amountText,
  largest: amountText,
})

/** Further decimal places of what a token gets, which is often less than the smallest amount. */
const MORE_PLACES = 4

/** What a distribution would pay, for the form of the dashboard. Nothing is written. Errors: those of `planDistribution`. */
export async function previewDistribution(
  principal: Principal,
  request: DistributionTerms,
): Promise<z.infer<typeof distributionPreview>> {
  const { decimals, held, heldDecimals, payouts, total, remainder } = await planDistribution(principal, request)
  const amount = (units: bigint) => fromBaseUnits(units, decimals)
  const [first, ...others] = payouts.map((payout) => payout.amount)
  const [smallest, largest] = others.reduce(
    ([least, most], one) => [one < least ? one : least, one > most ? one : most] as const,
    [first!, first!] as const,
  )
  return {
    payouts: payouts.length,
    allocated: amount(total - remainder),
    remainder: amount(remainder),
    per_unit:
      request.perUnit ??
      fromBaseUnits((total * 10n ** BigInt(heldDecimals + MORE_PLACES)) / held, decimals + MORE_PLACES),
    smallest: amount(smallest),
    largest: amount(largest),
  }
}
