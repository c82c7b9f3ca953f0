import { z } from "zod"
import { sql } from "#db/client.ts"
import type { Principal } from "#domain/requests"
import { recipientRefusals } from "#domain/tokens"
import { amountText, wallet } from "#server/lib/fields.ts"
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
  /** Who may not receive the token now: their number, and the largest of their payouts. Null if they are too many to check. */
  refused: z
    .object({
      count: z.number().int(),
      first: z.array(z.object({ user_pubkey: wallet, amount: amountText, detail: z.string() })),
    })
    .nullable(),
})

/** Further decimal places of what a token gets, which is often less than the smallest amount. */
const MORE_PLACES = 4

/** The most payouts to check while someone types, and the most wallets to name. */
const MOST_CHECKED = 1000
const MOST_NAMED = 5

/** What a distribution would pay, for the form of the dashboard. Nothing is written. Errors: those of `planDistribution`. */
export async function previewDistribution(
  principal: Principal,
  request: DistributionTerms,
): Promise<z.infer<typeof distributionPreview>> {
  const plan = await planDistribution(principal, request)
  const { decimals, held, heldDecimals, payouts, total, remainder } = plan
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
    refused: payouts.length > MOST_CHECKED ? null : await readRefused(principal, plan),
  }
}

async function readRefused(
  { workspaceId }: Principal,
  { mintConfig, decimals, payouts }: Awaited<ReturnType<typeof planDistribution>>,
) {
  const wallets = payouts.map((payout) => payout.wallet)
  const refusals = await recipientRefusals(sql, workspaceId, mintConfig, wallets)
  const first = payouts
    .filter((payout) => refusals.has(payout.wallet))
    .sort((a, b) => (a.amount < b.amount ? 1 : a.amount > b.amount ? -1 : 0))
    .slice(0, MOST_NAMED)
  return {
    count: refusals.size,
    first: first.map((payout) => ({
      user_pubkey: payout.wallet,
      amount: fromBaseUnits(payout.amount, decimals),
      detail: refusals.get(payout.wallet)!.detail,
    })),
  }
}
