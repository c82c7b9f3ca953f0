import * as spl from "@solana/spl-token"
import type { PublicKey, TransactionInstruction } from "@solana/web3.js"
import { tokenAccountOf } from "./addresses.ts"
import { memo } from "./memo.ts"
import type { PaymentMint } from "./payment-mint.ts"

/** The keys of a payment: the treasury is the authority's associated token account. */
export type Payer = { authority: PublicKey; feePayer: PublicKey }

type Payment = {
  wallet: PublicKey
  /** Base units. */
  amount: bigint
  /** Whether the wallet's account may have to be created. */
  isNew: boolean
  memoText: string
}

/**
 * Pays from the authority's associated token account to the wallet's. The instruction that creates an account also does
 * nothing if it exists, so another sender who creates it first does not stop the payment.
 */
export function pay(
  { mint, program, decimals }: Pick<PaymentMint, "mint" | "program" | "decimals">,
  { authority, feePayer }: Payer,
  { wallet, amount, isNew, memoText }: Payment,
): TransactionInstruction[] {
  const [from, to] = [tokenAccountOf(mint, authority, program), tokenAccountOf(mint, wallet, program)]
  const creation = spl.createAssociatedTokenAccountIdempotentInstruction(feePayer, to, wallet, mint, program)
  return [
    ...(isNew ? [creation] : []),
    // Directly before the transfer: an account can require that.
    memo(memoText),
    spl.createTransferCheckedInstruction(from, mint, to, authority, amount, decimals, [], program),
  ]
}
