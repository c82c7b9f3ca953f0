import { randomBytes } from "node:crypto"

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
const POOL_LENGTH = 1 << 20

// Pieces of one long random text, because creating a wallet must cost the load generator almost nothing.
const pool = Array.from(randomBytes(POOL_LENGTH), (byte) => ALPHABET[byte % 58]).join("")

/** The longest piece. Shorter pieces give more different texts. */
const PIECE_LENGTH = 8

/**
 * Random base58 text: 2^20 variants of every 8 characters, so millions of 22 characters are practically never equal.
 */
export function randomText(length: number): string {
  let text = ""
  while (text.length < length) {
    const piece = Math.min(length - text.length, PIECE_LENGTH)
    const at = Math.floor(Math.random() * (POOL_LENGTH - piece))
    text += pool.slice(at, at + piece)
  }
  return text
}

/**
 * The address of a new wallet, without big-number arithmetic: 44 base58 characters with a first one of `2` to `H`
 * always decode to exactly 32 bytes (58^43 > 2^248 and 17 · 58^43 < 2^256).
 */
export const newWallet = (): string => ALPHABET[1 + Math.floor(Math.random() * 16)] + randomText(43)

/** The configuration with limits by investor, which the benchmark of mints creates. */
export const LIMITED = "limited_fund_v1"
