import type { z } from "zod"

/** A row of the ledger, as it is moved along. What it carries belongs to its kind: see `definition.ts`. */
export type OperationRow = {
  workspace_id: string
  id: string
  seq: bigint
  kind: string
  /** As JSON; what an operation is found by stands in columns of its own. */
  payload: Record<string, unknown>
  mint_config: string | null
  wallet: string | null
  from_wallet: string | null
  writes: string[]
  reads: string[]
  attempts: number
  alone: boolean
}

/** A row that waits in the queue, or is on its way. */
export type Unfinished = OperationRow & { status: "queued" | "submitted"; not_before: Date | null }

/** An operation as its kind sees it. */
export type Operation<Payload> = {
  workspaceId: string
  id: string
  payload: Payload
  /** How often it was built again after an error of its own. */
  attempts: number
}

/** What is left of an operation that ended without its effect. */
export type Refusal = { code: string; detail: string }

/** The columns of a row, in SQL. */
export const OPERATION_COLUMNS = [
  ...["workspace_id", "id", "seq", "kind", "payload", "mint_config", "wallet", "from_wallet"],
  ...["writes", "reads", "attempts", "alone"],
] as const satisfies (keyof OperationRow)[]

/** Fields of a payload that are columns, too: what operations are found by. */
const COLUMNS = ["mint_config", "wallet", "from_wallet"] as const

/** Reads a row as its kind wrote it. Throws where it is another version's, or damaged. */
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
  }
}

/** The columns of a payload, and its JSON. The wallet is in both: a version of before reads it there. */
export function encodePayload<Payload extends z.ZodType>(schema: Payload, payload: z.output<Payload>) {
  const {
    mint_config = null,
    from_wallet = null,
    ...json
  } = schema.encode(payload) as Record<string, unknown>
  return { mint_config, wallet: json.wallet ?? null, from_wallet, payload: json }
}
