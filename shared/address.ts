import type { z } from "zod"

/** The base58 forms of an address and of a transaction's signature. */
export const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/
export const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/

/** A base58 address on Solana. Made only by `walletAddress`, by `addressOf`, or by a column of addresses. */
export type Address = string & z.core.$brand<"address">

/** Whether a text looks like an address. The server checks whether it is a wallet's. */
export const isAddress = (text: string): boolean => ADDRESS.test(text)
