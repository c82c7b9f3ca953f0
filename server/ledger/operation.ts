import type { z } from "zod"
import type { Queryable } from "#db/client.ts"
import { columns, type RowOf } from "#db/rows.ts"
import { newId } from "#server/lib/ids.ts"
import { clock } from "#server/lib/time.ts"
import { currentTraceparent } from "#server/lib/trace.ts"

/** The columns that the ledger works with. The payload belongs to the kind: see `definition.ts`. */
export const OPERATION_COLUMNS = columns(
  "operations",
  "workspace_id, id, seq, kind, payload, mint_config, wallet, from_wallet, writes, reads, attempts, alone, urgent",
  "redo, expiries",
)
export type OperationRow = RowOf<typeof OPERATION_COLUMNS>

export type Unfinished = OperationRow & { status: "queued" | "submitted"; not_before: Date | null }

export type Operation<Payload> = {
  workspaceId: string
  id: string
  payload: Payload
  /** How often it was built again after an error of its instruction. */
  attempts: number
  /** Whether it was confirmed before and vanished from the chain. The books have it, so it can no longer be refused. */
  redo: boolean
}

/** What remains of an operation that ended without its effect. */
export type Refusal = { code: string; detail: string }

/** Fields of a payload that are also columns, for searching. */
const COLUMNS = ["mint_config", "wallet", "from_wallet"] as const

/** Reads a row as its kind wrote it. Throws if the payload is damaged or from an unknown version. */
export function decodeOperation<Payload extends z.ZodType>(
  payload: Payload,
  row: OperationRow,
): Operation<z.output<Payload>> {
  const written: Record<string, unknown> = { ...row.payload }
  for (const column of COLUMNS) if (row[column] !== null) written[column] = row[column]
  return {
    workspaceId: row.workspace_id,
    id: row.id,
    payload: payload.decode(written as z.input<Payload>),
    attempts: row.attempts,
    redo: row.redo,
  }
}

/** The columns of a payload, and the JSON of its other fields. */
function encodePayload<Payload extends z.ZodType>(schema: Payload, payload: z.output<Payload>) {
  const {
    mint_config = null,
    wallet = null,
    from_wallet = null,
    ...json
  } = schema.encode(payload) as Record<string, unknown>
  return { mint_config, wallet, from_wallet, payload: json }
}

type Kind<Schema extends z.ZodType> = { kind: string; isUrgent: boolean; payload: Schema }

export type NewOperation<Payload> = {
  /** Generated if the caller passes none. */
  id?: string
  payload: Payload
  /** Accounts whose changes depend on the order. Operations that share one run in order, one at a time. */
  writes: string[]
  /** Accounts that must not change while it runs. */
  reads: string[]
  /** The span that requested it; by default the current one. */
  traceparent?: string | null
}

export const toRow = <Schema extends z.ZodType>(
  { kind, isUrgent, payload: schema }: Kind<Schema>,
  { id = newId("op"), payload, writes, reads, traceparent = currentTraceparent() }: NewOperation<z.output<Schema>>,
) => ({ id, kind, urgent: isUrgent, ...encodePayload(schema, payload), writes, reads, traceparent })

/** Queues operations in order, in the transaction that needs them. Publish `ledger` after the commit. */
export async function enqueueAll(
  sql: Queryable,
  workspaceId: string,
  rows: readonly ReturnType<typeof toRow>[],
  now: Date = clock.now(),
): Promise<void> {
  await sql`
    insert into operations
      (workspace_id, id, kind, urgent, status, payload, writes, reads, mint_config, wallet, from_wallet, traceparent, created_at)
    select ${workspaceId}, id, kind, urgent, 'queued', payload, array(select jsonb_array_elements_text(writes)),
      array(select jsonb_array_elements_text(reads)), mint_config, wallet, from_wallet, traceparent, ${now}
    from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as t(id text, kind text, urgent boolean, payload jsonb, writes jsonb,
      reads jsonb, mint_config text, wallet text, from_wallet text, traceparent text)`
}

/** Queues one operation; see `enqueueAll`. Returns its id. */
export async function enqueue<Schema extends z.ZodType>(
  sql: Queryable,
  workspaceId: string,
  definition: Kind<Schema>,
  operation: NewOperation<z.output<Schema>>,
): Promise<string> {
  const row = toRow(definition, operation)
  await enqueueAll(sql, workspaceId, [row])
  return row.id
}
