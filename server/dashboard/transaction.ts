import { type TransactionError, VersionedTransaction } from "@solana/web3.js"
import { sql } from "#db/client.ts"
import { columns, type RowOf } from "#db/rows.ts"
import { deployment } from "#domain/deployment"
import type { Principal } from "#domain/requests"
import { logger } from "#server/lib/log.ts"
import { toTimestamp } from "#server/lib/time.ts"
import type { Chain } from "#server/solana/chain.ts"
import { decodeInstructions } from "#server/solana/decode.ts"
import { explorerOf } from "#server/solana/explorer.ts"
import { fail } from "#shared/errors.ts"

const transactionColumns = columns("transactions", "signature, status, wire, slot, error, created_at, settled_at")

/** A transaction of the workspace by its signature. Errors: operation_not_found. */
export async function readTransaction({ workspaceId, mode }: Principal, signature: string) {
  const [row] = await sql<RowOf<typeof transactionColumns, { error: TransactionError | null }>[]>`
    select ${sql(transactionColumns)} from transactions
    where signature = ${signature} and workspace_id = ${workspaceId}`
  if (!row)
    return fail(
      "operation_not_found",
      "signature: this workspace has no transaction with this signature. Check the signature and the workspace.",
    )
  const chain = deployment.chains[mode]
  const landed = chain ? await landedAs(chain, signature) : null
  const saved = row.wire && VersionedTransaction.deserialize(row.wire).message
  const message = landed?.transaction.message ?? saved
  const cluster = chain?.identity?.cluster
  const savedSlot = row.slot === null ? null : Number(row.slot)
  return {
    signature,
    status: row.status,
    cluster: cluster ?? "unknown",
    // With `{}` for `tx/…`. Null if no public explorer covers the network.
    explorer: explorerOf(cluster),
    on_chain: landed !== null,
    slot: landed?.slot ?? savedSlot,
    block_time: landed?.blockTime ? toTimestamp(new Date(landed.blockTime * 1000)) : null,
    signed_at: toTimestamp(row.created_at),
    settled_at: row.settled_at && toTimestamp(row.settled_at),
    // The exact bytes in base64. Null if they are no longer kept.
    wire: row.wire?.toString("base64") ?? null,
    instructions: message ? decodeInstructions(message) : [],
    logs: landed?.meta?.logMessages ?? null,
    error: landed?.meta?.err ?? row.error,
  }
}

/** Null if the chain does not have it or does not answer. */
async function landedAs(chain: Chain, signature: string) {
  try {
    return await chain.rpc.patient.transaction(signature)
  } catch (error) {
    logger.debug({ err: error }, "could not read a transaction from the chain")
    return null
  }
}
