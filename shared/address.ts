import type { z } from "zod"

/** How an address, and a transaction's signature, are written in base58. */
export const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/
export const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/

/**
 * An address on Solana in base58, of a wallet or an account. It comes from `walletAddress`, which reads what is sent,
 * from `addressOf` of a key, or from a column of addresses: no other text is one.
 */
export type Address = string & z.core.$brand<"address">
