import { TOKEN_2022_PROGRAM_ID } from "@solana/spl-token"
import { type PublicKey, SystemProgram, type TransactionInstruction } from "@solana/web3.js"
import type { Verdict } from "#server/ledger/kinds.ts"
import { type ProgramError, SystemError } from "#server/ledger/program-error.ts"

// Where they stand in an operation that creates a mint: its memo is the first instruction.
const FUND = 1
const ALLOCATE = 2

/**
 * Makes the account of a new mint, in three steps where `createAccount` would do with one: that one refuses an
 * address that somebody has sent lamports to, and so lets a stranger stop a mint for a penny.
 */
export const createMintAccount = ({
  feePayer,
  mint,
  space,
  lamports,
}: {
  feePayer: PublicKey
  mint: PublicKey
  space: number
  lamports: number
}): TransactionInstruction[] => [
  SystemProgram.transfer({ fromPubkey: feePayer, toPubkey: mint, lamports }),
  SystemProgram.allocate({ accountPubkey: mint, space }),
  SystemProgram.assign({ accountPubkey: mint, programId: TOKEN_2022_PROGRAM_ID }),
]

/** What an error means for the operation that creates a mint. */
export function judgeMintCreation(error: ProgramError, instruction: number): Verdict {
  if (instruction === FUND && error.custom === SystemError.ResultWithNegativeLamports) {
    return { verdict: "wait" }
  }
  // Only the mint's own key allocates there, and it derives from our secret: this very mint is there already.
  if (instruction === ALLOCATE && error.custom === SystemError.AccountAlreadyInUse) {
    return { verdict: "finish" }
  }
  return { verdict: "retry" }
}
