import { z } from "zod"
import type { Queryable } from "#db/client.ts"
import { columns, qualified, type RowOf } from "#db/rows.ts"
import { amountText, idOf, listOf, named, signature, timestamp } from "#server/lib/fields.ts"
import { isId } from "#server/lib/ids.ts"
import { toTimestamp } from "#server/lib/time.ts"
import { fromBaseUnits } from "#shared/amount.ts"
import { fail } from "#shared/errors.ts"
import { type SnapshotState, snapshotStates } from "#shared/snapshots.ts"
import type { OperationStatus } from "#shared/statuses.ts"

export const snapshotRecord = z
  .object({
    snapshot_id: idOf("snap").meta({ description: "The snapshot's id" }),
    mint_config: named.meta({ description: "Mint configuration", example: "us_real_estate_fund_v1" }),
    name: z.string().meta({ description: "Your name for it", example: "Record date Q4 2025" }),
    record_at: timestamp.meta({
      description: "The record date: everything that landed up to the end of this second counts",
    }),
    state: z.enum(snapshotStates).meta({
      description:
        "`scheduled`: the record date is not final yet. `ready`: the holders are known and do not change; anchor_tx follows. `failed`: they are known, but their hash could not be put on chain",
      example: "ready",
    }),
    holders: z
      .number()
      .int()
      .nullable()
      .meta({ description: "Wallets that held tokens; null until it is ready", example: 214 }),
    supply: amountText
      .nullable()
      .meta({ description: "Whole tokens that they held; null until it is ready", example: "5996" }),
    sha256: z.string().nullable().meta({
      pattern: "^[A-Za-z0-9_-]{43}$",
      description: "SHA-256 of the holders' CSV, base64url; null until it is ready",
      example: "n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg",
    }),
    complete: z.boolean().nullable().meta({
      description:
        "False if it is not known what holders had moved themselves at the record date; null until it is ready",
      example: true,
    }),
    anchor_tx: signature.nullable().meta({
      description: "Signature of the transaction whose memo has the hash, base58; null until it is confirmed",
      example: "5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW",
    }),
    created_at: timestamp,
    ready_at: timestamp.nullable().meta({ description: "Null until it is ready" }),
  })
  .meta({ id: "Snapshot" })
export type SnapshotRecord = z.infer<typeof snapshotRecord>

export const snapshotList = listOf(snapshotRecord).meta({ id: "SnapshotList" })

const snapshotColumns = columns(
  "snapshots",
  "workspace_id, id, seq, mint_config, name, record_at, holders, supply, sha256, complete, operation_id, created_at, ready_at",
)
/** A snapshot, with its token's decimals and the operation that puts its hash on chain. */
export type SnapshotRow = RowOf<typeof snapshotColumns> & {
  decimals: number
  anchor_status: OperationStatus | null
  anchor_tx: string | null
}

export const snapshotRows = (sql: Queryable) => sql`
  select ${sql(qualified("s", snapshotColumns))}, c.decimals, o.status as anchor_status,
    case when s.ready_at is not null and o.status = 'confirmed' then o.signature end as anchor_tx
  from snapshots s join mint_configs c on c.workspace_id = s.workspace_id and c.id = s.mint_config
    left join operations o on o.workspace_id = s.workspace_id and o.id = s.operation_id`

/** SQL: whether a snapshot is in a state. */
export const inState = (sql: Queryable, state: SnapshotState) =>
  ({
    scheduled: sql`s.ready_at is null`,
    ready: sql`s.ready_at is not null and o.status is distinct from 'failed'`,
    failed: sql`s.ready_at is not null and o.status = 'failed'`,
  })[state]

const notFound = (id: string, field: string): never =>
  fail(
    "snapshot_not_found",
    `${field}: this workspace has no snapshot ${isId("snap", id) ? id : "with this id"}. List them with GET /snapshots.`,
  )

/** Errors: snapshot_not_found. */
export async function findSnapshot(
  sql: Queryable,
  workspaceId: string,
  id: string,
  field = "id",
): Promise<SnapshotRow> {
  if (!isId("snap", id)) return notFound(id, field)
  const [row] = await sql<SnapshotRow[]>`
    ${snapshotRows(sql)} where s.workspace_id = ${workspaceId} and s.id = ${id}`
  return row ?? notFound(id, field)
}

export function toSnapshotRecord(row: SnapshotRow): SnapshotRecord {
  const { ready_at, supply, decimals, anchor_status } = row
  return {
    snapshot_id: row.id,
    mint_config: row.mint_config,
    name: row.name,
    record_at: toTimestamp(row.record_at),
    state: ready_at === null ? "scheduled" : anchor_status === "failed" ? "failed" : "ready",
    holders: row.holders,
    supply: supply === null ? null : fromBaseUnits(BigInt(supply), decimals),
    sha256: row.sha256,
    complete: row.complete,
    anchor_tx: row.anchor_tx,
    created_at: toTimestamp(row.created_at),
    ready_at: ready_at && toTimestamp(ready_at),
  }
}
