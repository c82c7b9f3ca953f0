import type { SignatureStatus } from "@solana/web3.js"

/**
 * When a transaction is settled (VOUCH_COMMITMENT): once two thirds of the stake have voted for its slot, or once it is
 * final.
 */
export type SettlingCommitment = "confirmed" | "finalized"

export const isFinal = (status: SignatureStatus | null): status is SignatureStatus =>
  status?.confirmationStatus === "finalized"

export const isConfirmed = (status: SignatureStatus | null): status is SignatureStatus =>
  status?.confirmationStatus === "confirmed" || isFinal(status)
