import { type ProgramError, SystemError } from "#server/solana/program-error.ts"
import type { Recovery } from "./definition.ts"

// Where they stand in an operation that creates a mint (`solana/mint-account.ts`): its memo is the first instruction.
const FUND = 1
const ALLOCATE = 2

/** What an error means for the operation that creates a mint. */
export function recoverMintCreation(error: ProgramError, instruction: number): Recovery {
  if (instruction === FUND && error.custom === SystemError.ResultWithNegativeLamports) {
    return { do: "wait" }
  }
  // Only the mint's own key allocates there, and it derives from our secret: this very mint is there already.
  if (instruction === ALLOCATE && error.custom === SystemError.AccountAlreadyInUse) {
    return { do: "finish" }
  }
  return { do: "retry" }
}
