import { z } from "zod"
import { sql } from "#db/client.ts"
import { columns, only, qualified, type RowOf } from "#db/rows.ts"
import { deployment } from "#domain/deployment"
import type { Principal } from "#domain/requests"
import { timestamp } from "#server/lib/fields.ts"
import { toTimestamp } from "#server/lib/time.ts"
import { explorerOf } from "#server/solana/explorer.ts"
import { transactionStatuses } from "#shared/statuses.ts"
import { getOperation, operationRecord } from "./operation.ts"

/** A summary of the transaction that carries it. `transaction.get` returns all of it. */
const transaction = z.object({
  signature: z.string(),
  status: z.enum(transactionStatuses),
  slot: z.number().nullable(),
  /** When it was signed and saved, just before it was sent. */
  signed_at: timestamp,
  settled_at: timestamp.nullable(),
  operations: z.number(),
  in_doubt: z.boolean(),
})

export const operationDetail = z.object({
  operation: operationRecord,
  finished_at: timestamp.nullable(),
  /** How often the chain refused it, and the last reason. It is then built and signed again. */
  refusals: z.number(),
  last_refusal: z.string().nullable(),
  /** Whether it was confirmed, vanished from the chain and is being redone. */
  redo: z.boolean(),
  cluster: z.string().nullable(),
  /** With `{}` for `tx/…` or `address/…`; null if no public explorer reaches it. */
  explorer: z.string().nullable(),
  transaction: transaction.nullable(),
})
export type OperationDetail = z.infer<typeof operationDetail>

const attemptColumns = columns("operations", "attempts, finished_at, error_detail, redo")
const carrierColumns = columns("transactions", "signature, status, slot, created_at, settled_at, doubt")
type CarrierRow = RowOf<typeof carrierColumns> & { operations: number }
type Row = RowOf<typeof attemptColumns> & (CarrierRow | { signature: null })

/** An operation with the transaction that carries it now or carried it. Errors: operation_not_found. */
export async function readOperationDetail(principal: Principal, id: string): Promise<OperationDetail> {
  const { workspaceId, mode } = principal
  const operation = await getOperation(principal, id)
  const rows = await sql<Row[]>`
    select ${sql(qualified("o", attemptColumns))}, ${sql(qualified("t", carrierColumns))},
      jsonb_array_length(t.layout) as operations
    from operations o left join transactions t on t.signature = o.signature and t.workspace_id = o.workspace_id
    where o.workspace_id = ${workspaceId} and o.id = ${id}`
  const row = only(rows)
  const { attempts, finished_at, error_detail, redo } = row
  const cluster = deployment.chains[mode]?.identity?.cluster
  return {
    operation,
    finished_at: finished_at && toTimestamp(finished_at),
    refusals: attempts,
    last_refusal: finished_at === null ? error_detail : null,
    redo,
    cluster: cluster ?? null,
    explorer: explorerOf(cluster),
    transaction: row.signature === null ? null : readTransactionRow(row),
  }
}

const readTransactionRow = (row: CarrierRow): z.infer<typeof transaction> => ({
  signature: row.signature,
  status: row.status,
  slot: row.slot === null ? null : Number(row.slot),
  signed_at: toTimestamp(row.created_at),
  settled_at: row.settled_at && toTimestamp(row.settled_at),
  operations: row.operations,
  in_doubt: row.status === "saved" && row.doubt !== null,
})
