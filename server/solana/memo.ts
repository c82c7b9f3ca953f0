import { type PublicKey, TransactionInstruction } from "@solana/web3.js"
import { MEMO_PROGRAM_ID } from "./addresses.ts"

/** A memo, placed directly before the instruction it belongs to. The memo program fails if a signer is missing. */
export const memo = (text: string, signers: readonly PublicKey[] = []): TransactionInstruction =>
  new TransactionInstruction({
    programId: MEMO_PROGRAM_ID,
    keys: signers.map((pubkey) => ({ pubkey, isSigner: true, isWritable: false })),
    data: Buffer.from(text, "utf8"),
  })

/** Every memo that Vouch writes begins with this. */
export const MEMO_MARK = "vouch:1:"

/** The memo of an attestation: what was attested and until when (docs/contract.md). */
export const attestationMemo = (attestationId: string, commitment: string, expiresAt: Date): string =>
  `${MEMO_MARK}${attestationId}:${commitment}:${Math.floor(expiresAt.getTime() / 1000)}`

/** The memo of a snapshot: the hash of its holders, base64url (docs/contract.md). */
export const snapshotMemo = (snapshotId: string, sha256: string): string => `${MEMO_MARK}${snapshotId}:${sha256}`

/** The hash in the memo of a snapshot; null in any other. */
export const hashInMemo = (text: string): string | null => /^vouch:1:snap_\w+:([\w-]{43})$/.exec(text)?.[1] ?? null

/** The memo of an anchor of the audit log: a place in its chain, and the hash there, in hex (docs/contract.md). */
export const auditMemo = (anchorId: string, place: number, hash: string): string =>
  `${MEMO_MARK}${anchorId}:${place}:${hash}`

/** What the memo of an anchor of the audit log says; null for any other. */
export function readAuditMemo(text: string): { place: number; hash: string } | null {
  const [, place, hash] = /^vouch:1:anch_\w+:([1-9]\d{0,14}):([0-9a-f]{64})$/.exec(text) ?? []
  return place === undefined || hash === undefined ? null : { place: Number(place), hash }
}

/**
 * The memo of any other operation: its id (of a payment, the payout's), so that the chain shows each id at most once. `forced` marks an operation that
 * its holder did not consent to; `hold:`, `release:` and `carry:` name the hold of an amount that stays in its wallet;
 * `recover:` names the recovery, or the hold, that moves from a lost wallet to another one of its investor.
 */
export const operationMemo = (
  operationId: string,
  mark?: "forced" | `${"hold" | "release" | "carry" | "recover"}:${string}`,
): string => `${MEMO_MARK}${operationId}${mark === undefined ? "" : `:${mark}`}`
