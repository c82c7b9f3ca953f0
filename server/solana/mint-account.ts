import { TOKEN_2022_PROGRAM_ID, unpackMint } from "@solana/spl-token"
import { type PublicKey, SystemProgram, type TransactionInstruction } from "@solana/web3.js"
import type { ReadOptions, Rpc } from "./rpc/rpc.ts"

/**
 * Makes the account of a new mint, in three steps instead of `createAccount`, which refuses an address that already
 * has lamports: a stranger could block a mint by sending it one.
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

/** Base units of a mint that exist. Throws where it is not there. */
export async function readSupply(rpc: Rpc, mint: PublicKey, options: ReadOptions): Promise<bigint> {
  const { value } = await rpc.account(mint, options)
  return unpackMint(mint, value, TOKEN_2022_PROGRAM_ID).supply
}
