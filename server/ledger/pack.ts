import type { PublicKey, TransactionInstruction } from "@solana/web3.js"
import type { Signer } from "#server/solana/keys.ts"
import { TransactionSize } from "#server/solana/transaction.ts"
import type { OperationRow } from "./operation.ts"

export type Planned = {
  operation: OperationRow
  instructions: TransactionInstruction[]
  signers: readonly Signer[]
}

/**
 * Puts operations into as few transactions as their order and the packet size allow. The caller passes none that conflict
 * with each other. An operation that failed together with others gets its own transaction.
 */
export function pack(
  planned: readonly Planned[],
  { feePayer, feeInstructions }: { feePayer: PublicKey; feeInstructions: readonly TransactionInstruction[] },
): Planned[][] {
  const empty = new TransactionSize(feePayer).with(feeInstructions)
  const batches: Planned[][] = []
  let batch: Planned[] = []
  let size = empty
  const close = () => {
    if (batch.length > 0) batches.push(batch)
    batch = []
    size = empty
  }
  for (const next of planned) {
    if (next.operation.alone) {
      batches.push([next])
      continue
    }
    let grown = size.with(next.instructions)
    // An urgent operation must not fail because of one that is not.
    if (!grown.fits || (batch[0] && batch[0].operation.urgent !== next.operation.urgent)) {
      close()
      grown = empty.with(next.instructions)
    }
    batch.push(next)
    size = grown
  }
  close()
  return batches
}
