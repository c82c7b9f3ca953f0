import type { z } from "zod"
import type { Queryable } from "#db/client.ts"
import { newId } from "#server/lib/ids.ts"
import { clock } from "#server/lib/time.ts"
import { currentTraceparent } from "#server/lib/trace.ts"
import { encodePayload } from "./operation.ts"

type Kind<Schema extends z.ZodType> = { kind: string; isUrgent: boolean; payload: Schema }

export type NewOperation<Payload> = {
  /** Generated if the caller passes none. */
  id?: string
  payload: Payload
  /** Accounts that it changes. Operations that share one run in order, one at a time. */
  writes: string[]
  /** Accounts that must not change while it runs. */
  reads: string[]
  /** The span that requested it; by default the current one. */
  traceparent?: string | null
}

/** An operation as a row, from its definition and payload. */
export const toRow = <Schema extends z.ZodType>(
  { kind, isUrgent, payload: schema }: Kind<Schema>,
  { id = newId("op"), payload, writes, reads, traceparent = currentTraceparent() }: NewOperation<z.output<Schema>>,
) => ({ id, kind, urgent: isUrgent, ...encodePayload(schema, payload), writes, reads, traceparent })

/**
 * Queues operations in order. Call it in the transaction of the state change that needs them, and publish `ledger`
 * after the commit.
 */
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
