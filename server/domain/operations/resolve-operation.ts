import { sql } from "#db/client.ts"
import { publish } from "#db/pubsub.ts"
import { columns, type RowOf } from "#db/rows.ts"
import { recordChange, theOperator } from "#domain/audit-log"
import { chainOf } from "#domain/deployment"
import { operations as kinds } from "#server/domain/operations/operations.ts"
import { examine, findStillValid, isLate, settleConfirmed, settleExpired } from "#server/ledger/index.ts"
import { bindChain } from "#server/solana/chain.ts"
import type { Mode } from "#shared/mode.ts"

const transactionColumns = columns(
  "transactions",
  "signature, status, wire, signed_slot, last_valid_block_height, doubt, created_at",
)
type Transaction = RowOf<typeof transactionColumns>

/** A person's decision: it landed, or it never will. */
export type Decision = "landed" | "lost"

/** What the database and the chain know about an operation's transaction. Throws if the id does not exist. */
export async function gatherEvidence(id: string) {
  const [operation] = await sql<
    { workspace_id: string; mode: Mode; kind: string; status: string; signature: string | null }[]
  >`
    select o.workspace_id, w.mode, o.kind, o.status, o.signature
    from operations o join workspaces w on w.id = o.workspace_id where o.id = ${id}`
  if (!operation) throw new Error(`There is no operation with the id ${id}.`)
  const { workspace_id, mode, kind } = operation
  const known = { operation: id, workspace: workspace_id, mode, kind, status: operation.status }
  const [found] = await sql<Transaction[]>`
    select ${sql(transactionColumns)} from transactions where signature = ${operation.signature}`
  if (!found || found.wire === null) return { ...known, transaction: null, chain: null }
  const { signature, status, wire } = found
  const signedSlot = found.signed_slot === null ? null : Number(found.signed_slot)
  const lastValidBlockHeight = Number(found.last_valid_block_height)
  const together = await sql<{ id: string }[]>`
    select id from operations where workspace_id = ${workspace_id} and signature = ${signature} order by seq`
  const transaction = {
    signature,
    status,
    signed_at: found.created_at.toISOString(),
    signed_slot: signedSlot,
    last_valid_block_height: lastValidBlockHeight,
    doubt: found.doubt,
    /** All operations in its transaction, this one included. A decision applies to all of them. */
    operations: together.map((one) => one.id),
  }
  if (status !== "saved") return { ...known, transaction, chain: null }
  const chain = chainOf(mode)
  await bindChain(chain)
  const finalized = await chain.rpc.finalizedHeight()
  const saved = { signature, workspaceId: workspace_id, wire, signedSlot, lastValidBlockHeight }
  const canStillLand = !isLate(saved, finalized) || (await findStillValid(chain, [saved], finalized)) !== null
  const verdicts = canStillLand ? [] : await examine(chain, kinds, { late: [saved], asOf: finalized })
  const verdict = verdicts[0] ?? null
  return {
    ...known,
    transaction,
    /** What the nodes say now; null if there is nothing to decide. */
    chain: {
      finalized_height: finalized.height,
      finalized_slot: finalized.slot,
      can_still_land: canStillLand,
      verdict,
    },
  }
}

/** What is known about an operation in doubt. */
export type Evidence = Awaited<ReturnType<typeof gatherEvidence>>

/**
 * Settles an operation's transaction, and everything in it, by a person's decision, and records that in the audit log.
 * Returns why it refuses, or null. What the nodes know takes precedence over the person, and no one can decide a
 * transaction that can still land.
 */
export async function resolveOperation(id: string, decision: Decision, reason: string): Promise<string | null> {
  const { transaction, chain, workspace } = await gatherEvidence(id)
  if (!transaction || !chain) return "It has no transaction in doubt."
  if (chain.can_still_land) return "Its transaction can still land. Wait until its blockhash is no longer valid."
  const { verdict } = chain
  if (verdict?.end === "failed")
    return `It is on chain and failed in slot ${verdict.slot}. The ledger settles it automatically.`
  if (verdict?.end === "confirmed" && decision === "lost")
    return `It is on chain in slot ${verdict.slot}. The ledger settles it automatically.`
  if (verdict?.end === "expired" && decision === "landed")
    return "It did not land and no longer can. The ledger signs it again automatically."
  const { signature, signed_slot } = transaction
  const doubt = verdict?.end === "doubt" ? verdict.reason : null
  const detail = { as: decision, signature, reason, doubt }
  const record = async (tx: Parameters<typeof recordChange>[0]) => {
    for (const subject of transaction.operations)
      await recordChange(tx, workspace, { author: theOperator, action: "operation.resolved", subject, detail })
  }
  // No node will ever know more about it.
  const landing = { signature, slot: signed_slot ?? 0, isFinal: true }
  const isDone =
    decision === "landed"
      ? (await settleConfirmed(kinds, [landing], record)) > 0
      : await settleExpired(signature, record)
  if (!isDone) return "Its transaction was settled in the meantime. Check it again."
  publish("settled")
  publish("ledger")
  return null
}
