// Distributions to the holders of a token, in the words of the API.

/** `completed` and `cancelled` are final, except that a payout that is still owed can be paid later. */
export const distributionStates = ["draft", "awaiting_approval", "paying", "paused", "completed", "cancelled"] as const
export type DistributionState = (typeof distributionStates)[number]

/** `in_kind`: new tokens of the same mint. `stablecoin`: a payment mint out of the treasury. `external`: books only. */
export const settlements = ["in_kind", "stablecoin", "external"] as const
export type Settlement = (typeof settlements)[number]

/** Everything but `paid` and `external_paid` is owed. */
export const payoutStatuses = ["pending", "withheld", "submitted", "paid", "failed", "external_paid"] as const
export type PayoutStatus = (typeof payoutStatuses)[number]

/** Statuses in which a payout can be marked as paid elsewhere: nothing is on its way, and nothing was paid. */
export const markableStatuses: readonly PayoutStatus[] = ["pending", "withheld", "failed"]
export const isMarkable = (status: PayoutStatus): boolean => markableStatuses.includes(status)

/** Refusals of payments by the payment mint, the treasury or the recipient's account. */
export const treasuryCodes = [
  "treasury_insufficient",
  "treasury_frozen",
  "treasury_shared",
  "payment_mint_refused",
] as const
export const recipientCodes = ["recipient_account_frozen", "recipient_not_payable"] as const

/** The most decimals of the amounts of an external distribution, and how many they have by default. */
export const MOST_EXTERNAL_DECIMALS = 9
export const EXTERNAL_DECIMALS = 2
