import { sql } from "#db/client.ts"
import { columns, type RowOf } from "#db/rows.ts"
import { requireInvestor, walletsOf } from "#domain/investors"
import type { Principal } from "#domain/requests"
import { type OperationRow, toOperationRecord } from "#domain/tokens"
import { toTimestamp } from "#server/lib/time.ts"
import { ruleCodes } from "#shared/rules/rules.ts"
import { findOperations } from "./operations.ts"

/** A refusal of an investor's wallet. */
export type Refusal = {
  at: string
  what: "mint" | "transfer" | "verification"
  error: string
  detail: string | null
  mint_config: string | null
  amount: string | null
  /** A refused request, while the log keeps it (`keptDays`), or a failed operation. */
  request_id: string | null
  operation_id: string | null
}

const SHOWN = 50
/** The most refused requests of the workspace to search, because no index covers their wallets. */
const LOOKED_THROUGH = 10_000

const paths = {
  "/token/mint": "mint",
  "/token/transfer": "transfer",
  "/kyc/start": "verification",
} as const satisfies Record<string, Refusal["what"]>

const requestColumns = columns("api_requests", "id, at, path, error_code, request_body, response_body")
type RequestRow = RowOf<typeof requestColumns, { path: keyof typeof paths; error_code: string }>

/** Refused requests and failed operations of an investor, newest first. Errors: investor_not_found. */
export async function listRefusals({ workspaceId }: Principal, id: string): Promise<{ data: Refusal[] }> {
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

type Dated = Omit<Refusal, "at"> & { at: Date }

function ofOperation(row: OperationRow): Dated {
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

function ofRequest(row: RequestRow): Dated {
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
