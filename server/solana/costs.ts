import { ASSOCIATED_TOKEN_PROGRAM_ID, TOKEN_2022_PROGRAM_ID, TokenInstruction } from "@solana/spl-token"
import {
  SystemInstruction,
  SystemProgram,
  type TransactionInstruction,
  type VersionedTransactionResponse,
} from "@solana/web3.js"

/** Bytes of the largest token account of our mints: for a credential, or for a token that can be paused. */
const TOKEN_ACCOUNT_BYTES = 174

/** The maximum rent that instructions pay, in lamports: for token accounts that may already exist, and for new mints. */
export function mostRentOf(instructions: readonly TransactionInstruction[], rentOf: (bytes: number) => number): number {
  const lamports = instructions.map((instruction) => {
    if (instruction.programId.equals(ASSOCIATED_TOKEN_PROGRAM_ID)) return rentOf(TOKEN_ACCOUNT_BYTES)
    if (!instruction.programId.equals(SystemProgram.programId)) return 0
    const isTransfer = SystemInstruction.decodeInstructionType(instruction) === "Transfer"
    return isTransfer ? Number(SystemInstruction.decodeTransfer(instruction).lamports) : 0
  })
  return lamports.reduce((sum, one) => sum + one, 0)
}

/** Splits `total` into integers that differ by at most one. */
function shareOut(total: number, parts: number): number[] {
  const least = Math.floor(total / parts)
  const rest = total - least * parts
  return Array.from({ length: parts }, (_, i) => least + (i < rest ? 1 : 0))
}

/** The cost in lamports of a transaction and of each of its operations. */
export type Costs = {
  fee: number
  rent: number
  ofOperations: { id: string; fee: number; rent: number }[]
  /** Token accounts that it opened. */
  opened: string[]
}

/** How many instructions belong to no operation (`head`), then to each operation in order. */
export type Layout = { head: number; layout: readonly (readonly [id: string, instructions: number])[] }

/** The costs of a transaction that opened no account, or whose accounts cannot be attributed. */
export function costsWithoutMeta({ fee, rent, layout }: Layout & { fee: number; rent: number }): Costs {
  const [fees, rents] = [shareOut(fee, layout.length), shareOut(rent, layout.length)]
  const ofOperations = layout.map(([id], i) => ({ id, fee: fees[i]!, rent: rents[i]! }))
  return { fee, rent, ofOperations, opened: [] }
}

/**
 * The costs of a transaction from its meta. All operations share the fee. The rent of an account goes to the first
 * operation whose instructions name it; rent that cannot be attributed goes to the first operation. Null without meta.
 */
export function costsOf(response: VersionedTransactionResponse, about: Layout): Costs | null {
  const { meta, transaction } = response
  if (meta === null) return null
  const { message } = transaction
  const keys = message.staticAccountKeys
  const { fee, preBalances, postBalances } = meta
  const rent = preBalances[0]! - postBalances[0]! - fee
  const unnamed = new Set(keys.keys())
  // The fee payer.
  unnamed.delete(0)
  const { ofOperations } = costsWithoutMeta({ ...about, fee, rent: 0 })
  const opened: string[] = []
  let left = rent
  let first = about.head
  for (const [i, [, count]] of about.layout.entries()) {
    const instructions = message.compiledInstructions.slice(first, first + count)
    for (const { programIdIndex, accountKeyIndexes, data } of instructions) {
      const isTokenAccount = keys[programIdIndex]!.equals(ASSOCIATED_TOKEN_PROGRAM_ID)
      // Initializes a hold account, and fails if it exists.
      if (keys[programIdIndex]!.equals(TOKEN_2022_PROGRAM_ID) && data[0] === TokenInstruction.InitializeAccount3)
        opened.push(keys[accountKeyIndexes[0]!]!.toBase58())
      for (const [place, index] of accountKeyIndexes.entries()) {
        if (!unnamed.delete(index)) continue
        const paid = postBalances[index]! - preBalances[index]!
        ofOperations[i]!.rent += paid
        left -= paid
        // The new account is the second account of the instruction.
        if (isTokenAccount && place === 1 && preBalances[index] === 0 && paid > 0) opened.push(keys[index]!.toBase58())
      }
    }
    first += count
  }
  ofOperations[0]!.rent += left
  return { fee, rent, ofOperations, opened }
}
