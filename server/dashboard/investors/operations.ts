import { sql } from "#db/client.ts"
import { requireInvestor, walletsOf } from "#domain/investors"
import type { Principal } from "#domain/requests"
import { type OperationRecord, type OperationRow, operationRows, toOperationRecord } from "#domain/tokens"
import { badCursor, fromCursor, toCursor } from "#server/lib/cursor.ts"
import type { Address } from "#shared/address.ts"

const PAGE = 20

/**
 * The mints and transfers of all wallets of an investor, newest first. Errors: investor_not_found, validation_failed
 * for a cursor.
 */
export async function listInvestorOperations(
  { workspaceId }: Principal,
  { investorId, cursor }: { investorId: string; cursor: string | null },
): Promise<{ data: OperationRecord[]; next_cursor: string | null }> {
  const of = await requireInvestor(workspaceId, investorId)
  const before = cursor === null ? null : await placeOf(workspaceId, cursor)
  const wallets = (await walletsOf(workspaceId, [of]))(of)
  const rows = await findOperations(workspaceId, { wallets, isFailed: false, before, limit: PAGE + 1 })
  const shown = rows.slice(0, PAGE)
  return {
    data: shown.map(toOperationRecord),
    next_cursor: rows.length > PAGE ? toCursor(shown.at(-1)!.id) : null,
  }
}

async function placeOf(workspaceId: string, cursor: string): Promise<bigint> {
  const [row] = await sql<{ seq: bigint }[]>`
    select seq from operations
    where workspace_id = ${workspaceId} and id = ${fromCursor("op", cursor)} and kind in ('mint', 'transfer')`
  return row?.seq ?? badCursor()
}

/**
 * The newest mints and transfers of any of the wallets. Reads each wallet by index, as recipient and as sender, because
 * one condition on all of them would scan the workspace.
 */
export function findOperations(
  workspaceId: string,
  {
    wallets,
    isFailed,
    before,
    limit,
  }: { wallets: readonly Address[]; isFailed: boolean; before: bigint | null; limit: number },
): Promise<OperationRow[]> {
  const side = (column: "wallet" | "from_wallet") => sql`
    (select id, seq from operations
      where workspace_id = ${workspaceId} and ${sql(column)} = w.wallet and kind in ('mint', 'transfer')
        ${isFailed ? sql`and status = 'failed'` : sql``} ${before === null ? sql`` : sql`and seq < ${before}`}
      order by seq desc nulls last limit ${limit})`
  return sql<OperationRow[]>`
    ${operationRows()}
    where o.workspace_id = ${workspaceId} and o.id in (
      select id from (
        select distinct id, seq from unnest(${wallets as Address[]}::text[]) as w(wallet)
        cross join lateral (${side("wallet")} union all ${side("from_wallet")}) found
      ) newest order by seq desc limit ${limit})
    order by o.seq desc nulls last`
}
