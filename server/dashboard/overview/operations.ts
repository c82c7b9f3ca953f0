import { sql } from "#db/client.ts"
import { isMovement } from "#db/movements.ts"
import { operations } from "#domain/operations"
import { toTimestamp } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import { fromBaseUnits } from "#shared/amount.ts"
import type { OperationStatus } from "#shared/statuses.ts"

type Row = {
  id: string
  kind: string
  status: OperationStatus
  payload: { amount?: string }
  mint_config: string
  wallet: Address | null
  from_wallet: Address | null
  signature: string | null
  error_code: string | null
  created_at: Date
  decimals: number
  symbol: string
  token: string
  external_id: string | null
}

/** The latest operations that moved tokens or held them, also those refused before signing. */
export async function latestOperations(workspaceId: string, limit: number) {
  const rows = await sql<Row[]>`
    with latest as (
      select id from operations
      where workspace_id = ${workspaceId} and ${isMovement()} order by seq desc nulls last limit ${limit}
    )
    select o.id, o.kind, o.status, o.payload, o.mint_config, o.wallet, o.from_wallet, o.signature, o.error_code,
      o.created_at, c.decimals, c.symbol, c.name as token, i.external_id
    from latest join operations o on o.workspace_id = ${workspaceId} and o.id = latest.id
    join mint_configs c on c.workspace_id = o.workspace_id and c.id = o.mint_config
    left join lateral wallet_owner(${workspaceId}, o.wallet) w on true
    left join investors i on i.workspace_id = o.workspace_id and i.id = w.investor_id
    order by o.seq desc limit ${limit}`
  return rows.map((row) => ({
    operation_id: row.id,
    kind: row.kind,
    label: operations.labelOf(row.kind),
    status: row.status,
    wallet: row.wallet,
    // The company's own id of the person behind the wallet, if known.
    external_id: row.external_id,
    from_wallet: row.from_wallet,
    mint_config: row.mint_config,
    token: row.token,
    symbol: row.symbol,
    amount: row.payload.amount === undefined ? null : fromBaseUnits(BigInt(row.payload.amount), row.decimals),
    onchain_tx: row.status === "confirmed" ? row.signature : null,
    error: row.status === "failed" ? row.error_code : null,
    created_at: toTimestamp(row.created_at),
  }))
}
