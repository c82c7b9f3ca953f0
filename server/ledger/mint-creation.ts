import { type ProgramError, SystemError } from "#server/solana/program-error.ts"
import type { Verdict } from "./kinds.ts"

// Where they stand in an operation that creates a mint (`solana/mint-account.ts`): its memo is the first instruction.
const FUND = 1
const ALLOCATE = 2

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
