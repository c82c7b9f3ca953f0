import { sql } from "#db/client.ts"
import { columns, type RowOf } from "#db/rows.ts"
import type { Principal } from "#server/domain/context.ts"
import { requireInvestor } from "#server/domain/investors/read.ts"
import { walletsOf } from "#server/domain/investors/wallets.ts"
import { type OperationRow, toOperationRecord } from "#server/domain/tokens/operation.ts"
import { toTimestamp } from "#server/lib/time.ts"
import { ruleCodes } from "#shared/rules/rules.ts"
import { findOperations } from "./operations.ts"

/** Something that an investor's wallet was refused. */
export type Refusal = {
  at: string
  what: "mint" | "transfer" | "verification"
  error: string
  detail: string | null
  mint_config: string | null
  amount: string | null
  /** A request that began nothing, as long as the log keeps it (`keptDays`), or an operation that failed. */
  request_id: string | null
  operation_id: string | null
}

const SHOWN = 50
/** Refused requests of the workspace that are looked through: no index knows their wallets. */
const LOOKED_THROUGH = 10_000

const paths = {
  "/token/mint": "mint",
  "/token/transfer": "transfer",
  "/kyc/start": "verification",
} as const satisfies Record<string, Refusal["what"]>

const requestColumns = columns(
  "api_requests",
  "id",
  "at",
  "path",
  "error_code",
  "request_body",
  "response_body",
)
type RequestRow = RowOf<typeof requestColumns, { path: keyof typeof paths; error_code: string }>

/** What an investor was refused, newest first: by a rule at once, or later. Errors: investor_not_found. */
export async function listRefusals({ workspaceId }: Principal, id: string): Promise<{ data: Refusal[] }> {
  const investorId = await requireInvestor(workspaceId, id)
  const wallets = (await walletsOf(workspaceId, [investorId]))(investorId)
  if (wallets.length === 0) return { data: [] }
  const [operations, requests] = await Promise.all([
    findOperations(workspaceId, { wallets, isFailed: true, before: null, limit: SHOWN }),
    // The order of the index, word for word.
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
  const text = (value: unknown) =>
    typeof value === "string" || typeof value === "number" ? String(value) : null
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

/** A body as the log keeps it: an object, its start, or a note that it was none. */
function read(body: string | null): Record<string, unknown> {
  if (!(body?.startsWith("{") && body.endsWith("}"))) return {}
  const value: unknown = JSON.parse(body)
  return value as Record<string, unknown>
}
