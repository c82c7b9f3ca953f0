import type { z } from "zod"
import { columns, type RowOf } from "#db/rows.ts"

/** The columns that the ledger works with. The payload belongs to the kind: see `definition.ts`. */
export const OPERATION_COLUMNS = columns(
  "operations",
  "workspace_id",
  "id",
  "seq",
  "kind",
  "payload",
  "mint_config",
  "wallet",
  "from_wallet",
  "writes",
  "reads",
  "attempts",
  "alone",
  "urgent",
  "redo",
  "expiries",
)
export type OperationRow = RowOf<typeof OPERATION_COLUMNS>

/** A row that is queued or submitted. */
export type Unfinished = OperationRow & { status: "queued" | "submitted"; not_before: Date | null }

/** An operation as its kind sees it. */
export type Operation<Payload> = {
  workspaceId: string
  id: string
  payload: Payload
  /** How often it was built again after an error of its instruction. */
  attempts: number
  /**
   * Whether it was confirmed before and vanished from the chain: the books already have it, so it can no longer be
   * refused.
   */
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

/** The columns of a payload, and its JSON. The wallet is in both because earlier versions read it there. */
export function encodePayload<Payload extends z.ZodType>(schema: Payload, payload: z.output<Payload>) {
  const { mint_config = null, from_wallet = null, ...json } = schema.encode(payload) as Record<string, unknown>
  return { mint_config, wallet: json.wallet ?? null, from_wallet, payload: json }
}
