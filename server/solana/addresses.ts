import { ASSOCIATED_TOKEN_PROGRAM_ID, TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID } from "@solana/spl-token"
import { ComputeBudgetProgram, PublicKey, SystemProgram } from "@solana/web3.js"
import bs58 from "bs58"

export const MEMO_PROGRAM_ID = new PublicKey("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr")

/** Addresses that are no investor's wallet: programs that we use, and the place where lamports are burnt. */
const NOT_WALLETS = new Set([
  SystemProgram.programId.toBase58(),
  TOKEN_PROGRAM_ID.toBase58(),
  TOKEN_2022_PROGRAM_ID.toBase58(),
  ASSOCIATED_TOKEN_PROGRAM_ID.toBase58(),
  MEMO_PROGRAM_ID.toBase58(),
  ComputeBudgetProgram.programId.toBase58(),
  "1nc1nerator11111111111111111111111111111111",
])

/** Whether `text` is the base58 form of a 32-byte address that can be somebody's wallet, smart wallets included. */
export function isWalletAddress(text: string): boolean {
  if (text.length < 32 || text.length > 44) return false
  return bs58.decodeUnsafe(text)?.length === 32 && !NOT_WALLETS.has(text)
}

// Deriving takes hashing and curve arithmetic in JavaScript (about 0.2 ms); the same few are asked for often.
const CACHE_MAX = 20_000
const derived = new Map<string, PublicKey>()

/** The wallet's associated Token-2022 account for a mint. Wallets off the curve are admitted. */
export function tokenAccountOf(mint: PublicKey, wallet: PublicKey): PublicKey {
  const name = `${mint.toBase58()}/${wallet.toBase58()}`
  let address = derived.get(name)
  if (address === undefined) {
    const seeds = [wallet.toBuffer(), TOKEN_2022_PROGRAM_ID.toBuffer(), mint.toBuffer()]
    address = PublicKey.findProgramAddressSync(seeds, ASSOCIATED_TOKEN_PROGRAM_ID)[0]
    if (derived.size >= CACHE_MAX) derived.clear()
    derived.set(name, address)
  }
  return address
}
