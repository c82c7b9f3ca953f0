import { ASSOCIATED_TOKEN_PROGRAM_ID, TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID } from "@solana/spl-token"
import { ComputeBudgetProgram, PublicKey, StakeProgram, SystemProgram, VoteProgram } from "@solana/web3.js"
import bs58 from "bs58"
import { LRUCache } from "lru-cache"
import { ADDRESS, type Address } from "#shared/address.ts"

export const MEMO_PROGRAM_ID = new PublicKey("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr")

/** Never an investor's wallet: programs, sysvars (https://docs.anza.xyz/runtime/sysvars) and the incinerator. */
const NOT_WALLETS = new Set([
  ...[TOKEN_PROGRAM_ID, TOKEN_2022_PROGRAM_ID, ASSOCIATED_TOKEN_PROGRAM_ID, MEMO_PROGRAM_ID].map(String),
  ...[SystemProgram, ComputeBudgetProgram, StakeProgram, VoteProgram].map(({ programId }) => String(programId)),
  "AddressLookupTab1e1111111111111111111111111",
  "SysvarC1ock11111111111111111111111111111111",
  "SysvarEpochSchedu1e111111111111111111111111",
  "Sysvar1nstructions1111111111111111111111111",
  "SysvarRecentB1ockHashes11111111111111111111",
  "SysvarRent111111111111111111111111111111111",
  "SysvarRewards111111111111111111111111111111",
  "SysvarS1otHashes111111111111111111111111111",
  "SysvarS1otHistory11111111111111111111111111",
  "SysvarStakeHistory1111111111111111111111111",
  "1nc1nerator11111111111111111111111111111111",
])

const ADDRESS_BYTES = 32

/** The smallest and largest base58 number by how many bytes follow the leading zeros. */
const BOUNDS = Array.from({ length: ADDRESS_BYTES + 1 }, (_, length) => {
  const least = new Uint8Array(length)
  if (length > 0) least[0] = 1
  return { least: bs58.encode(least), greatest: bs58.encode(new Uint8Array(length).fill(0xff)) }
})

/** Whether `text` is a base58 32-byte address that can be a wallet, smart wallets included. */
export function isWalletAddress(text: string): text is Address {
  if (!ADDRESS.test(text)) return false
  // Base58 digits are in ASCII order, so texts of equal length compare like their numbers. Nothing is decoded.
  const zeros = /^1*/.exec(text)![0].length
  const bounds = BOUNDS[ADDRESS_BYTES - zeros]
  if (bounds === undefined) return false
  const digits = zeros === 0 ? text : text.slice(zeros)
  return isAtLeast(digits, bounds.least) && isAtLeast(bounds.greatest, digits) && !NOT_WALLETS.has(text)
}

export const addressOf = (key: PublicKey): Address => key.toBase58() as Address
/** A public key that caches its base58 form and its bytes. web3.js computes both each time. */
class NamedKey extends PublicKey {
  readonly #address: Address
  #bytes: Uint8Array | null = null

  constructor(address: Address) {
    super(address)
    this.#address = address
  }

  override toBase58(): string {
    return this.#address
  }

  override toString(): string {
    return this.#address
  }

  override toBytes(): Uint8Array {
    this.#bytes ??= super.toBytes()
    return this.#bytes
  }
}

export const publicKeyOf = (address: Address): PublicKey => new NamedKey(address)

/** Part of a wallet address: its first and last characters, or one end without saying which. */
export type WalletParts = { start: string; end: string } | { either: string }

const PART = "[1-9A-HJ-NP-Za-km-z]{1,44}"
const MIDDLE = "(?:…|\\.{2,3})"
const SHORTENED = new RegExp(`^(${PART})${MIDDLE}(${PART})$`)
const ONE_PART = new RegExp(`^${MIDDLE}?(${PART})${MIDDLE}?$`)

/** Reads an address as screens shorten it (without its middle), or one end of it. Null if it is neither. */
export function readWalletParts(text: string): WalletParts | null {
  const [, start, end] = SHORTENED.exec(text) ?? []
  if (start !== undefined && end !== undefined) return { start, end }
  const either = ONE_PART.exec(text)?.[1]
  return either === undefined ? null : { either }
}

const isAtLeast = (digits: string, bound: string): boolean =>
  digits.length === bound.length ? digits >= bound : digits.length > bound.length

/** Makes a key from another library cache its base58 form and its bytes, like `NamedKey`. */
export function withText(key: PublicKey): PublicKey {
  const text = key.toBase58()
  const bytes = key.toBytes()
  return Object.defineProperties(key, {
    toBase58: { value: () => text },
    toString: { value: () => text },
    toBytes: { value: () => bytes },
  })
}

for (const program of [
  TOKEN_PROGRAM_ID,
  TOKEN_2022_PROGRAM_ID,
  ASSOCIATED_TOKEN_PROGRAM_ID,
  MEMO_PROGRAM_ID,
  SystemProgram.programId,
]) {
  withText(program)
}

// Deriving takes about 0.2 ms of hashing and curve arithmetic, and the same few addresses are needed often.
const derived = new LRUCache<string, { address: PublicKey; bump: number }>({ max: 20_000 })

function deriveTokenAccount(
  mint: PublicKey,
  wallet: PublicKey,
  program: PublicKey,
): { address: PublicKey; bump: number } {
  const name = `${mint.toBase58()}/${wallet.toBase58()}/${program.toBase58()}`
  let account = derived.get(name)
  if (account === undefined) {
    const seeds = [wallet.toBuffer(), program.toBuffer(), mint.toBuffer()]
    const [address, bump] = PublicKey.findProgramAddressSync(seeds, ASSOCIATED_TOKEN_PROGRAM_ID)
    account = { address: withText(address), bump }
    derived.set(name, account)
  }
  return account
}

/** The wallet's associated token account for a mint of a token program. The wallet may be off the curve. */
export const tokenAccountOf = (mint: PublicKey, wallet: PublicKey, program = TOKEN_2022_PROGRAM_ID): PublicKey =>
  deriveTokenAccount(mint, wallet, program).address

/** How many addresses the program tries before it finds that account. */
export const tokenAccountTries = (mint: PublicKey, wallet: PublicKey, program = TOKEN_2022_PROGRAM_ID): number =>
  256 - deriveTokenAccount(mint, wallet, program).bump
