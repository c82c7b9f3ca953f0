import { background as sql } from "#db/client.ts"
import { FEE_PER_TRANSACTION, feePayerIn } from "#server/solana/transaction.ts"
import type { Mode } from "#shared/mode.ts"
import type { Saved } from "./signing.ts"

/**
 * A saved transaction that has not ended. `doubt` is the reason, if the worker noted one, why its outcome is unknown.
 */
export type SavedRow = Saved & { doubt: string | null; savedAt: Date }

/** The oldest unfinished transactions of a mode, without those in `except`. */
export async function readSaved(
  mode: Mode,
  { except, most }: { except: readonly string[]; most: number },
): Promise<SavedRow[]> {
  const rows = await sql<
    {
      signature: string
      workspace_id: string
      wire: Buffer
      signed_slot: bigint | null
      last_valid_block_height: bigint
      fee: bigint | null
      doubt: string | null
      created_at: Date
    }[]
  >`
    select signature, workspace_id, wire, signed_slot, last_valid_block_height, fee, doubt, created_at from transactions
    where mode = ${mode} and status = 'saved' and not signature = any(${except as string[]})
    order by created_at limit ${most}`
  return rows.map((row) => ({
    signature: row.signature,
    workspaceId: row.workspace_id,
    wire: row.wire,
    feePayer: feePayerIn(row.wire),
    signedSlot: row.signed_slot === null ? null : Number(row.signed_slot),
    lastValidBlockHeight: Number(row.last_valid_block_height),
    fee_lamports: Number(row.fee ?? FEE_PER_TRANSACTION),
    doubt: row.doubt,
    savedAt: row.created_at,
  }))
}
