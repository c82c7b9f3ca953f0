import type { ConfirmedSignatureInfo } from "@solana/web3.js"
import { forEachBatch } from "#db/batches.ts"
import { sql } from "#db/client.ts"
import { authorityOf } from "#server/solana/keys.ts"
import type { Audited } from "./report.ts"

/** Signatures that one page of an address's history has. */
const PAGE = 1000

type KnownTransaction = { signature: string; status: string; layout: [string, number][] }

/**
 * Every effect is on chain exactly once: the history of the workspace's authority, read from the chain, is compared
 * with the transactions and operations in the database.
 */
export async function auditOperations(audited: Audited): Promise<void> {
  const { workspaceId, report } = audited
  const known = new Map(
    (
      await sql<KnownTransaction[]>`
        select signature, status, layout from transactions where workspace_id = ${workspaceId}`
    ).map((transaction) => [transaction.signature, transaction]),
  )
  report.checked.transactions += known.size
  const landed = await readHistory(audited, known)
  const carriers = new Map<string, string[]>()
  for (const [signature, operationIds] of landed) {
    for (const id of operationIds) carriers.set(id, [...(carriers.get(id) ?? []), signature])
  }
  compareTransactions(audited, known, landed)
  await compareOperations(audited, carriers)
}

/** Successful transactions that the authority signed, with the operations that they carried. */
async function readHistory(
  audited: Audited,
  known: Map<string, KnownTransaction>,
): Promise<Map<string, string[]>> {
  const { chain, workspaceId, report } = audited
  const authority = authorityOf(chain.keys, workspaceId).publicKey
  const landed = new Map<string, string[]>()
  let before: string | undefined
  for (;;) {
    const page: ConfirmedSignatureInfo[] = await chain.connection.getSignaturesForAddress(
      authority,
      { limit: PAGE, ...(before ? { before } : {}) },
      "confirmed",
    )
    for (const { signature, err } of page) {
      if (err !== null) continue
      const transaction = known.get(signature)
      if (transaction)
        landed.set(
          signature,
          transaction.layout.map(([id]) => id),
        )
      else if (await isSignedBy(audited, signature, authority.toBase58())) {
        const detail = `${workspaceId}: ${signature} was signed by the authority, but not by this deployment`
        report.differences.push({ kind: "foreign_transaction", detail })
      }
    }
    if (page.length < PAGE) return landed
    before = page.at(-1)!.signature
  }
}

/** Anybody can name our authority in a transaction, and write our memo into it; only its signature counts. */
async function isSignedBy({ chain }: Audited, signature: string, authority: string): Promise<boolean> {
  const transaction = await chain.connection.getTransaction(signature, {
    commitment: "confirmed",
    maxSupportedTransactionVersion: 0,
  })
  const message = transaction?.transaction.message
  if (!message) return false
  const signers = message.staticAccountKeys.slice(0, message.header.numRequiredSignatures)
  return signers.some((signer) => signer.toBase58() === authority)
}

function compareTransactions(
  { workspaceId, report }: Audited,
  known: Map<string, KnownTransaction>,
  landed: Map<string, string[]>,
): void {
  for (const { signature, status } of known.values()) {
    const there = landed.has(signature)
    if (status === "confirmed" && !there) {
      const detail = `${workspaceId}: ${signature} is confirmed, but not found on chain`
      report.differences.push({ kind: "transaction_missing", detail })
    }
    if ((status === "failed" || status === "expired") && there) {
      const detail = `${workspaceId}: ${signature} counts as ${status}, but it landed`
      report.differences.push({ kind: "transaction_landed", detail })
    }
  }
}

async function compareOperations(
  { workspaceId, report }: Audited,
  carriers: Map<string, string[]>,
): Promise<void> {
  for (const [id, signatures] of carriers) {
    if (signatures.length > 1) {
      const detail = `${workspaceId}: ${id} is on chain ${signatures.length} times: ${signatures.join(", ")}`
      report.differences.push({ kind: "operation_repeated", detail })
    }
  }
  const rows = sql<{ id: string; status: string; signature: string | null }[]>`
    select id, status, signature from operations where workspace_id = ${workspaceId}`
  await forEachBatch(rows, 1000, (batch) => {
    for (const { id, status, signature } of batch) {
      report.checked.operations++
      const there = carriers.get(id)?.[0]
      if (status === "confirmed" && signature !== null && there !== signature) {
        const detail = `${workspaceId}: ${id} is confirmed by ${signature}, but the chain has it in ${there ?? "no transaction"}`
        report.differences.push({ kind: "operation_missing", detail })
      }
      if (status === "failed" && there !== undefined) {
        const detail = `${workspaceId}: ${id} counts as failed, but ${there} carried it`
        report.differences.push({ kind: "operation_landed", detail })
      }
    }
  })
}
