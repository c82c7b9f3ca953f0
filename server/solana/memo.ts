import { TransactionInstruction } from "@solana/web3.js"
import { MEMO_PROGRAM_ID } from "./addresses.ts"

/** Text on chain, directly before the instruction that it belongs to. */
export const memo = (text: string): TransactionInstruction =>
  new TransactionInstruction({ programId: MEMO_PROGRAM_ID, keys: [], data: Buffer.from(text, "utf8") })

/** Memo of an attestation: what was attested, and until when (docs/contract.md). */
export const attestationMemo = (attestationId: string, commitment: string, expiresAt: Date): string =>
  `vouch:1:${attestationId}:${commitment}:${Math.floor(expiresAt.getTime() / 1000)}`

/** Memo of every other operation: its id, which the chain thus shows at most once. */
export const operationMemo = (operationId: string): string => `vouch:1:${operationId}`
