import { once } from "node:events"
import type { ServerResponse } from "node:http"
import type { Principal } from "#server/context.ts"
import { fail } from "#server/errors.ts"
import { requireSchema } from "#server/schemas/require.ts"
import { clock, toTimestamp } from "#server/time.ts"
import { requireScope } from "#server/trpc.ts"
import { type FoundRow, findAttestations, type SearchFilter, searchFilter } from "./search.ts"
import { statusAt } from "./status.ts"

/** Rows that are read and written at a time. */
const BATCH = 1000
/** Tells a spreadsheet that this is UTF-8. */
const BYTE_ORDER_MARK = "\ufeff"

const columns = {
  attestation_id: (row) => row.id,
  status: (row, now) => statusAt(row, now),
  schema: (row) => row.schema_id,
  user_pubkey: (row) => row.wallet,
  external_id: (row) => row.external_id,
  started_at: (row) => toTimestamp(row.created_at),
  issued_at: (row) => time(row.verified_at && row.issued_at),
  expires_at: (row) => time(row.verified_at && row.expires_at),
  revoked_at: (row) => time(row.revoked_at),
  reason: (row) => row.reason,
  onchain_tx: (row) => row.verified_at && row.onchain_tx,
} satisfies Record<string, (row: FoundRow, now: Date) => string | null>

const time = (at: Date | null): string | null => at && toTimestamp(at)

/** Reads the filter of an export from its query. Errors: validation_failed, unknown_schema. */
export function readFilter(query: URLSearchParams): SearchFilter {
  const given = Object.fromEntries([...query].filter(([name, value]) => name !== "workspace" && value !== ""))
  const { data, error } = searchFilter.strict().safeParse(given)
  if (data) return data
  const [issue] = error.issues
  return fail("validation_failed", `${issue!.path.join(".") || "query"}: ${issue!.message}`)
}

/**
 * Writes all attestations that match as CSV (RFC 4180), newest first, as fast as the client takes them: memory does not
 * grow with their number. Errors, before the first byte: insufficient_scope, unknown_schema.
 */
export async function exportAttestations(
  principal: Principal,
  filter: SearchFilter,
  response: ServerResponse,
): Promise<void> {
  requireScope(principal, "attestation:read")
  const { workspaceId } = principal
  if (filter.schema !== undefined) await requireSchema(workspaceId, filter.schema)
  const now = clock.now()
  let rows = await findAttestations(workspaceId, filter, { before: null, limit: BATCH })
  response.writeHead(200, {
    "Content-Type": "text/csv; charset=utf-8",
    "Content-Disposition": `attachment; filename="attestations-${now.toISOString().slice(0, 10)}.csv"`,
    "Cache-Control": "no-store",
  })
  await write(response, BYTE_ORDER_MARK + line(Object.keys(columns)))
  while (rows.length > 0 && !response.destroyed) {
    const cells = rows.map((row) => Object.values(columns).map((cell) => cell(row, now)))
    await write(response, cells.map(line).join(""))
    if (rows.length < BATCH) break
    rows = await findAttestations(workspaceId, filter, { before: rows.at(-1)!.seq, limit: BATCH })
  }
  response.end()
}

/** Writes, and waits until the client has room for more or has gone. */
async function write(response: ServerResponse, text: string): Promise<void> {
  if (response.write(text) || response.destroyed) return
  const gone = new AbortController()
  const end = () => gone.abort()
  response.once("close", end)
  await once(response, "drain", { signal: gone.signal }).catch(() => {})
  response.off("close", end)
}

const line = (cells: readonly (string | null)[]): string => `${cells.map(toCell).join(",")}\r\n`

/**
 * A cell that no spreadsheet takes for a formula: what begins like one gets a quote before it (OWASP, CSV injection).
 */
export function toCell(value: string | null): string {
  if (value === null) return ""
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
