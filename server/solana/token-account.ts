import { type Account, TOKEN_2022_PROGRAM_ID, unpackAccount } from "@solana/spl-token"
import { type AccountInfo, type PublicKey, SystemProgram } from "@solana/web3.js"

/**
 * What a node says of the token account that derives from a wallet and a mint; null where nobody has opened it. At such an address
 * there is nothing else, but lamports that a stranger has sent: a node that shows anything else has answered another
 * question, and this throws.
 */
export function readTokenAccount(
  address: PublicKey,
  info: AccountInfo<Buffer> | null | undefined,
  mint: PublicKey | null,
): Account | null {
  if (!info || (info.owner.equals(SystemProgram.programId) && info.data.length === 0)) return null
  const refuse = (what: string) =>
    new Error(`A node shows ${what} at the token account ${address.toBase58()}.`)
  if (!info.owner.equals(TOKEN_2022_PROGRAM_ID))
    throw refuse(`an account of the program ${info.owner.toBase58()}`)
  const account = unpackAccount(address, info, TOKEN_2022_PROGRAM_ID)
  if (mint !== null && !account.mint.equals(mint))
    throw refuse(`an account of the mint ${account.mint.toBase58()}`)
  return account
}
