import { type PublicKey, TransactionInstruction } from "@solana/web3.js"
import { MEMO_PROGRAM_ID } from "./addresses.ts"

/** Text on chain, directly before the instruction that it belongs to. The program refuses it where a signer is missing. */
export const memo = (text: string, signers: readonly PublicKey[] = []): TransactionInstruction =>
  new TransactionInstruction({
    programId: MEMO_PROGRAM_ID,
    keys: signers.map((pubkey) => ({ pubkey, isSigner: true, isWritable: false })),
    data: Buffer.from(text, "utf8"),
  })

/** How every memo of ours begins. */
export const MEMO_MARK = "vouch:1:"

/** Memo of an attestation: what was attested, and until when (docs/contract.md). */
export const attestationMemo = (attestationId: string, commitment: string, expiresAt: Date): string =>
  `${MEMO_MARK}${attestationId}:${commitment}:${Math.floor(expiresAt.getTime() / 1000)}`

/** Memo of every other operation: its id, which the chain thus shows at most once. */
export const operationMemo = (operationId: string): string => `${MEMO_MARK}${operationId}`
