import type { ServerResponse } from "node:http"
import type { Principal } from "#server/domain/context.ts"
import { requireScope } from "#server/domain/context.ts"
import { requireSchema } from "#server/domain/kyc/schemas/require.ts"
import { type CsvFile, sendCsv } from "#server/lib/csv.ts"
import { clock, toTimestamp } from "#server/lib/time.ts"
import { type FoundRow, findAttestations, type SearchFilter } from "./search.ts"
import { shownStatusAt } from "./status.ts"

/** Rows that are read and written at a time. */
const BATCH = 1000

const columnsAt = (now: Date): CsvFile<FoundRow>["columns"] => ({
  attestation_id: (row) => row.id,
  status: (row) => shownStatusAt(row, now),
  schema: (row) => row.schema_id,
  user_pubkey: (row) => row.wallet,
  external_id: (row) => row.external_id,
  started_at: (row) => toTimestamp(row.created_at),
  issued_at: (row) => time(row.verified_at && row.issued_at),
  expires_at: (row) => time(row.verified_at && row.expires_at),
  revoked_at: (row) => time(row.revoked_at),
  reason: (row) => row.reason,
  onchain_tx: (row) => row.verified_at && row.onchain_tx,
})

const time = (at: Date | null): string | null => at && toTimestamp(at)

/**
 * Sends all attestations that match as CSV, newest first. Errors, before the first byte: insufficient_scope,
 * unknown_schema.
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
  await sendCsv<FoundRow>(response, {
    filename: `attestations-${now.toISOString().slice(0, 10)}.csv`,
    columns: columnsAt(now),
    readAfter: (last) => findAttestations(workspaceId, filter, { before: last?.seq ?? null, limit: BATCH }),
  })
}
