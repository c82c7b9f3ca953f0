import { base64url, sha256, utf8 } from "../bytes.ts"
import { issuersOf, MEMO, signatureBytes } from "./address.ts"
import { type ChainConnection, nodeOf, type Transaction } from "./connection.ts"

export type SnapshotQuestion = {
  /**
   * The address that issues the token: the mint's authority. Get it from the issuer, never from the record. Pass several
   * if the workspace's key was replaced.
   */
  issuer: string | readonly string[]
  /** The record of the snapshot, as the API returns it. None of it is trusted. */
  snapshot: { snapshot_id: string; anchor_tx: string | null }
  /** The bytes of `GET /snapshot/{id}/holders.csv`, unchanged. A string is taken as UTF-8. */
  csv: string | Uint8Array
  /** The commitment level. Default: `confirmed`. */
  commitment?: "confirmed" | "finalized" | undefined
}

/** Why the chain does not show that these were the holders. */
export type SnapshotRefusal =
  /** The record names no transaction, the node does not know it, or it failed. */
  | "not_on_chain"
  /** The transaction does not carry this snapshot. */
  | "wrong_snapshot"
  /** Another key than this issuer's signed it. */
  | "wrong_issuer"
  /** The file is not the one whose hash is on chain. */
  | "wrong_holders"

export type AnchoredSnapshot = {
  verified: true
  /** SHA-256 of the file, base64url. */
  sha256: string
  /** The issuer's key that signed. */
  authority: string
  transaction: string
}

export type SnapshotAnswer = AnchoredSnapshot | { verified: false; reason: SnapshotRefusal }

/**
 * Checks the holders of a snapshot using only the chain and not Vouch: that the issuer signed a memo which names the
 * snapshot and has the hash of exactly this file. The answers of the node are trusted, so choose it well.
 *
 * Rejects if the node fails or if an address is invalid.
 */
export async function verifySnapshot(
  connection: ChainConnection,
  { issuer, snapshot, csv, commitment = "confirmed" }: SnapshotQuestion,
): Promise<SnapshotAnswer> {
  const { snapshot_id, anchor_tx } = snapshot
  const issuers = issuersOf(issuer)
  if (anchor_tx === null) return refuse("not_on_chain")
  signatureBytes(anchor_tx, "snapshot.anchor_tx")
  const transaction = await nodeOf(connection, commitment).transaction(anchor_tx)
  if (transaction === null || transaction.failed) return refuse("not_on_chain")

  const anchors = anchorsIn(transaction, snapshot_id)
  if (anchors.length === 0) return refuse("wrong_snapshot")
  const own = anchors.flatMap(({ hash, signers }) => {
    const authority = signers.find((one) => issuers.includes(one))
    return authority === undefined ? [] : [{ hash, authority }]
  })
  if (own.length === 0) return refuse("wrong_issuer")
  const hash = base64url(await sha256(typeof csv === "string" ? utf8(csv) : Uint8Array.from(csv)))
  const found = own.find((one) => one.hash === hash)
  if (found === undefined) return refuse("wrong_holders")
  return { verified: true, sha256: hash, authority: found.authority, transaction: anchor_tx }
}

const refuse = (reason: SnapshotRefusal) => ({ verified: false, reason }) as const

/** The memos `vouch:1:<snapshot_id>:<sha256>` (docs/contract.md), with the keys that the memo program saw sign. */
const anchorsIn = ({ instructions, signers }: Transaction, snapshotId: string) =>
  instructions.flatMap(({ program, accounts, data }) => {
    if (program !== MEMO) return []
    const [mark, version, id, hash, ...rest] = new TextDecoder().decode(data).split(":")
    if (mark !== "vouch" || version !== "1" || id !== snapshotId || hash === undefined || rest.length > 0) return []
    return [{ hash, signers: accounts.filter((one) => signers.includes(one)) }]
  })
