import { z } from "zod"
import { sql } from "#db/client.ts"
import { seqAt } from "#db/seq-at.ts"
import type { Principal } from "#domain/requests"
import { requireConfig } from "#domain/tokens"
import { badCursor, pageOf, toCursor } from "#server/lib/cursor.ts"
import { amountText, listOf, wallet } from "#server/lib/fields.ts"
import { toTimestamp } from "#server/lib/time.ts"
import { isWalletAddress } from "#server/solana/addresses.ts"
import type { Address } from "#shared/address.ts"
import { fromBaseUnits } from "#shared/amount.ts"
import { fail } from "#shared/errors.ts"
import type { SnapshotState } from "#shared/snapshots.ts"
import { csvOf, readHolders } from "./holders.ts"
import {
  findSnapshot,
  inState,
  type SnapshotRecord,
  type SnapshotRow,
  snapshotRows,
  toSnapshotRecord,
} from "./snapshot.ts"

/** Errors: snapshot_not_found. */
export const readSnapshot = async ({ workspaceId }: Principal, id: string): Promise<SnapshotRecord> =>
  toSnapshotRecord(await findSnapshot(sql, workspaceId, id))

export type SnapshotFilter = {
  mintConfig: string | null
  state: SnapshotState | null
  limit: number
  cursor: string | null
}

/** Newest first. Errors: validation_failed for a cursor, unknown_mint_config. */
export async function listSnapshots(
  { workspaceId }: Principal,
  { mintConfig, state, limit, cursor }: SnapshotFilter,
): Promise<{ data: SnapshotRecord[]; next_cursor: string | null }> {
  const before = cursor === null ? null : await seqAt("snapshots", "snap", workspaceId, cursor)
  const rows = await sql<SnapshotRow[]>`
    ${snapshotRows(sql)} where s.workspace_id = ${workspaceId}
      ${mintConfig === null ? sql`` : sql`and s.mint_config = ${mintConfig}`}
      ${state === null ? sql`` : sql`and ${inState(sql, state)}`}
      ${before === null ? sql`` : sql`and s.seq < ${before}`}
    order by s.seq desc nulls last limit ${limit + 1}`
  if (rows.length === 0 && mintConfig !== null) await requireConfig(workspaceId, mintConfig)
  return pageOf(rows, limit, toSnapshotRecord)
}

const snapshotHolder = z
  .object({
    user_pubkey: wallet,
    balance: amountText.meta({ description: "Whole tokens that it held", example: "749.5" }),
    held: amountText.meta({ description: "Whole tokens of these that holds kept from moving", example: "0" }),
  })
  .meta({ id: "SnapshotHolder" })

export const snapshotHolderList = listOf(snapshotHolder).meta({ id: "SnapshotHolderList" })

/** In the order of their addresses. Errors: snapshot_not_found, snapshot_not_ready, validation_failed for a cursor. */
export async function listSnapshotHolders(
  { workspaceId }: Principal,
  { id, limit, cursor }: { id: string; limit: number; cursor: string | null },
): Promise<z.infer<typeof snapshotHolderList>> {
  const after = cursor === null ? null : walletIn(cursor)
  const { mint_config: mintConfig, record_at: recordAt, decimals } = await readySnapshot(workspaceId, id)
  const rows = await readHolders({ workspaceId, mintConfig, recordAt }, { after, most: limit + 1 })
  const units = (amount: string) => fromBaseUnits(BigInt(amount), decimals)
  return {
    data: rows.slice(0, limit).map(({ wallet, balance, held }) => ({
      user_pubkey: wallet,
      balance: units(balance),
      held: units(held),
    })),
    next_cursor: rows.length > limit ? toCursor(rows[limit - 1]!.wallet) : null,
  }
}

function walletIn(cursor: string): Address {
  const text = Buffer.from(cursor, "base64url").toString("latin1")
  return isWalletAddress(text) && toCursor(text) === cursor ? text : badCursor()
}

/** The canonical CSV, in parts. Errors: snapshot_not_found, snapshot_not_ready. */
export async function readSnapshotCsv({ workspaceId }: Principal, id: string): Promise<AsyncIterable<string>> {
  const { mint_config: mintConfig, record_at: recordAt } = await readySnapshot(workspaceId, id)
  return csvOf({ workspaceId, mintConfig, recordAt })
}

/** A snapshot whose holders are known. `field` names it in errors. Errors: snapshot_not_found, snapshot_not_ready. */
export async function readySnapshot(workspaceId: string, id: string, field = "id"): Promise<SnapshotRow> {
  const row = await findSnapshot(sql, workspaceId, id, field)
  if (row.ready_at === null)
    fail(
      "snapshot_not_ready",
      `${field}: ${id} is ready some seconds after its record date, ${toTimestamp(row.record_at)}. Try again then.`,
    )
  return row
}
