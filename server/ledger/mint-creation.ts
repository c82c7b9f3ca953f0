import type { PublicKey } from "@solana/web3.js"
import { type ProgramError, SystemError } from "#server/solana/program-error.ts"
import type { Effect, Lookup, Recovery } from "./definition.ts"

// Positions in an operation that creates a mint (`solana/mint-account.ts`): its memo is the first instruction.
const FUND = 1
const ALLOCATE = 2

/** What an error means for an operation that creates a mint. */
export function recoverMintCreation(error: ProgramError, instruction: number): Recovery {
  if (instruction === FUND && error.custom === SystemError.ResultWithNegativeLamports) {
    return { do: "wait" }
  }
  // Only the deployment's mint base can allocate there, so this mint already exists.
  if (instruction === ALLOCATE && error.custom === SystemError.AccountAlreadyInUse) {
    return { do: "finish" }
  }
  return { do: "retry" }
}

/** Whether the mints exist that operations were to create. */
export async function mintEffects(
  mints: readonly { id: string; mint: PublicKey }[],
  { chain, slot }: Lookup & { slot: number },
): Promise<Map<string, Effect>> {
  const addresses = mints.map(({ mint }) => mint)
  const { value } = await chain.rpc.accounts(addresses, { since: slot, commitment: "finalized" })
  return new Map(mints.map(({ id }, i) => [id, value[i] ? "there" : "absent"]))
}
