import { sql } from "#db/client.ts"
import { isMovement } from "#db/movements.ts"
import { columns, type RowOf } from "#db/rows.ts"
import { requireInvestor, walletsOf } from "#domain/investors"
import type { Principal } from "#domain/requests"
import { type OperationRecord, type OperationRow, operationRows, toOperationRecord } from "#domain/tokens"
import { badCursor, fromCursor, toCursor } from "#server/lib/cursor.ts"
import { toTimestamp } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import { ruleCodes } from "#shared/rules/rules.ts"

const PAGE = 20

/** Mints and transfers of an investor, newest first. Errors: investor_not_found, validation_failed for a cursor. */
export async function listInvestorOperations(
  { workspaceId }: Principal,
  { investorId, cursor }: { investorId: string; cursor: string | null },
): Promise<{ data: OperationRecord[]; next_cursor: string | null }> {
  const of = await requireInvestor(workspaceId, investorId)
  const before = cursor === null ? null : await placeOf(workspaceId, cursor)
  const wallets = (await walletsOf(workspaceId, [of]))(of)
  const rows = await findOperations(workspaceId, { wallets, isFailed: false, before, limit: PAGE + 1 })
  const shown = rows.slice(0, PAGE)
  return { data: shown.map(toOperationRecord), next_cursor: rows.length > PAGE ? toCursor(shown.at(-1)!.id) : null }
}

async function placeOf(workspaceId: string, cursor: string): Promise<bigint> {
  const [row] = await sql<{ seq: bigint }[]>`
    select seq from operations
    where workspace_id = ${workspaceId} and id = ${fromCursor("op", cursor)} and ${isMovement()}`
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
      where workspace_id = ${workspaceId} and ${sql(column)} = w.wallet and ${isMovement()}
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

const SHOWN = 50
/** The most refused requests of the workspace to search, because no index covers their wallets. */
const LOOKED_THROUGH = 10_000

const paths = { "/token/mint": "mint", "/token/transfer": "transfer", "/kyc/start": "verification" } as const

const requestColumns = columns("api_requests", "id, at, path, error_code, request_body, response_body")
type RequestRow = RowOf<typeof requestColumns, { path: keyof typeof paths; error_code: string }>

/** Refused requests and failed operations of an investor, newest first. Errors: investor_not_found. */
export async function listRefusals({ workspaceId }: Principal, id: string) {
  const investorId = await requireInvestor(workspaceId, id)
  const wallets = (await walletsOf(workspaceId, [investorId]))(investorId)
  if (wallets.length === 0) return { data: [] }
  const [operations, requests] = await Promise.all([
    findOperations(workspaceId, { wallets, isFailed: true, before: null, limit: SHOWN }),
    // Exactly the order of the index.
    sql<RequestRow[]>`
      select ${sql(requestColumns)} from (
        select * from api_requests where workspace_id = ${workspaceId} and status >= 400
        order by at desc nulls last, id desc nulls last limit ${LOOKED_THROUGH}
      ) refused
      where path = any(${Object.keys(paths)})
        and (error_code = any(${ruleCodes as string[]}) or (status = 403 and error_code <> 'insufficient_scope'))
        and exists (select from unnest(${wallets as string[]}::text[]) as w(wallet) where strpos(request_body, wallet) > 0)
      order by at desc, id desc limit ${SHOWN}`,
  ])
  return {
    data: [...operations.map(ofOperation), ...requests.map(ofRequest)]
      .sort((a, b) => b.at.getTime() - a.at.getTime())
      .slice(0, SHOWN)
      .map((one) => ({ ...one, at: toTimestamp(one.at) })),
  }
}

function ofOperation(row: OperationRow) {
  const { operation_id, kind, mint_config, amount, error } = toOperationRecord(row)
  return {
    at: row.finished_at ?? row.created_at,
    what: kind,
    error: error?.error ?? "internal_error",
    detail: error?.detail ?? null,
    mint_config,
    amount,
    request_id: null,
    operation_id,
  }
}

function ofRequest(row: RequestRow) {
  const [sent, answer] = [read(row.request_body), read(row.response_body)]
  const text = (value: unknown) => (typeof value === "string" || typeof value === "number" ? String(value) : null)
  return {
    at: row.at,
    what: paths[row.path],
    error: row.error_code,
    detail: text(answer.detail),
    mint_config: text(sent.mint_config),
    amount: text(sent.amount),
    request_id: row.id,
    operation_id: null,
  }
}

/** A body from the log: an object, its start, or a note that it was not JSON. */
function read(body: string | null): Record<string, unknown> {
  if (!(body?.startsWith("{") && body.endsWith("}"))) return {}
  const value: unknown = JSON.parse(body)
  return value as Record<string, unknown>
}
