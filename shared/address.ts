import type { z } from "zod"

/** The base58 forms of an address and of a transaction's signature. */
export const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/
export const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/

/**
 * The base58 address of a wallet or an account on Solana. Made only by `walletAddress`, which parses input, by
 * `addressOf` from a key, or by a column of addresses.
 */
export type Address = string & z.core.$brand<"address">
