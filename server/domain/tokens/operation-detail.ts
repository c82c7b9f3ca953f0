import { z } from "zod"
import { sql } from "#db/client.ts"
import { columns, only, qualified, type RowOf } from "#db/rows.ts"
import { deployment } from "#domain/deployment"
import type { Principal } from "#domain/requests"
import { timestamp } from "#server/lib/fields.ts"
import { toTimestamp } from "#server/lib/time.ts"
import { explorerOf } from "#server/solana/explorer.ts"
import { auditActors, transactionStatuses } from "#shared/statuses.ts"
import { getOperation, type OperationRecord, operationRecord } from "./operation.ts"

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
  /** Who asked for it, and by which request; null for what Vouch does by itself. */
  requested_by: z.object({ kind: z.enum(auditActors), name: z.string(), request_id: z.string().nullable() }).nullable(),
  /** The people whose wallets these are now. */
  people: z.array(z.object({ wallet: z.string(), investor_id: z.string(), external_id: z.string().nullable() })),
})
export type OperationDetail = z.infer<typeof operationDetail>

const attemptColumns = columns("operations", "attempts, finished_at, error_detail, redo")
const entryColumns = columns("audit_entries", "actor, actor_name, request_id")
const carrierColumns = columns("transactions", "signature, status, slot, created_at, settled_at, doubt")
type CarrierRow = RowOf<typeof carrierColumns> & { operations: number }
type Row = RowOf<typeof attemptColumns> & (CarrierRow | { signature: null })

/** An operation with the transaction that carries it now or carried it. Errors: operation_not_found. */
export async function readOperationDetail(principal: Principal, id: string): Promise<OperationDetail> {
  const { workspaceId, mode } = principal
  const operation = await getOperation(principal, id)
  const [rows, [entry], people] = await Promise.all([
    readAttempt(workspaceId, id),
    sql<RowOf<typeof entryColumns>[]>`
      select ${sql(entryColumns)} from audit_entries
      where account_id = (select account_id from workspaces where id = ${workspaceId})
        and workspace_id = ${workspaceId} and subject = ${id}
      order by seq limit 1`,
    readPeople(principal, operation),
  ])
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
    requested_by:
      entry && entry.actor !== "system"
        ? { kind: entry.actor, name: entry.actor_name, request_id: entry.request_id }
        : null,
    people,
  }
}

const readAttempt = (workspaceId: string, id: string) => sql<Row[]>`
    select ${sql(qualified("o", attemptColumns))}, ${sql(qualified("t", carrierColumns))},
      jsonb_array_length(t.layout) as operations
    from operations o left join transactions t on t.signature = o.signature and t.workspace_id = o.workspace_id
    where o.workspace_id = ${workspaceId} and o.id = ${id}`

type Person = OperationDetail["people"][number]

/** The investors behind the wallets of an operation, for members who may read them. */
async function readPeople({ workspaceId, scopes }: Principal, operation: OperationRecord): Promise<Person[]> {
  const { user_pubkey, from_pubkey, to_pubkey } = operation
  const wallets = [user_pubkey, from_pubkey, to_pubkey].filter((wallet) => wallet != null)
  if (!scopes.has("kyc:read")) return []
  return sql<Person[]>`
    select w.wallet, n.id as investor_id, n.external_id
    from unnest(${wallets}::text[]) as w(wallet)
      cross join lateral wallet_owner(${workspaceId}, w.wallet) o
      join investors i on i.workspace_id = ${workspaceId} and i.id = o.investor_id
      join investors n on n.workspace_id = i.workspace_id and n.id = coalesce(i.merged_into, i.id)`
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
