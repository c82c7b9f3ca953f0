import { type Account, TOKEN_2022_PROGRAM_ID, unpackAccount } from "@solana/spl-token"
import { type AccountInfo, type PublicKey, SystemProgram } from "@solana/web3.js"

/**
 * The associated token account of a wallet and a mint, as a node returned it; null if no one has opened it. Only
 * lamports from a stranger can be at that address otherwise. Throws if the node returned anything else, because that is
 * the answer to another request.
 */
export function readTokenAccount(
  address: PublicKey,
  info: AccountInfo<Buffer> | null | undefined,
  mint: PublicKey | null,
): Account | null {
  if (!info || (info.owner.equals(SystemProgram.programId) && info.data.length === 0)) return null
  const refuse = (what: string) => new Error(`A node shows ${what} at the token account ${address.toBase58()}.`)
  if (!info.owner.equals(TOKEN_2022_PROGRAM_ID)) throw refuse(`an account of the program ${info.owner.toBase58()}`)
  const account = unpackAccount(address, info, TOKEN_2022_PROGRAM_ID)
  if (mint !== null && !account.mint.equals(mint)) throw refuse(`an account of the mint ${account.mint.toBase58()}`)
  return account
}
