import type { Refusal } from "#server/ledger/index.ts"
import type { Address } from "#shared/address.ts"
import { fromBaseUnits } from "#shared/amount.ts"

// Why a payment was not made. Nothing has been sent then, and the payout stays owed.

/** Amounts in base units of the mint. */
type Short = { mint: Address; account: Address; decimals: number; amount: bigint; left: bigint }

export const treasuryInsufficient = ({ mint, account, decimals, amount, left }: Short): Refusal => ({
  code: "treasury_insufficient",
  detail: `The treasury's account ${account} lacks ${fromBaseUnits(amount - left, decimals)} of the payment mint ${mint}: the payment is ${fromBaseUnits(amount, decimals)}, and ${fromBaseUnits(left, decimals)} is left. Fund the account.`,
})

export const treasuryFrozen = (mint: Address, account: Address): Refusal => ({
  code: "treasury_frozen",
  detail: `The issuer of the payment mint ${mint} has frozen the treasury's account ${account}. Ask the issuer.`,
})

export const SHARED_TREASURY =
  "The workspace's authority also issues for another workspace, so its token accounts would hold the money of both. Give this workspace its own authority with `vouch signer set`."

export const treasuryShared: Refusal = { code: "treasury_shared", detail: SHARED_TREASURY }

export const mintRefused = (mint: Address, reason: string): Refusal => ({
  code: "payment_mint_refused",
  detail: `Vouch does not pay with the mint ${mint}: ${reason}.`,
})

export const recipientFrozen = (wallet: Address, mint: Address, account: Address): Refusal => ({
  code: "recipient_account_frozen",
  detail: `The issuer of the payment mint ${mint} has frozen the account ${account} of ${wallet}. Pay again once it is thawed.`,
})

export const recipientRefused = (wallet: Address, reason: string): Refusal => ({
  code: "recipient_not_payable",
  detail: `${wallet} cannot receive payments: ${reason}.`,
})
