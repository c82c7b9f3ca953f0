import type { ServerResponse } from "node:http"
import { type Principal, requireScope } from "#domain/requests"
import { requireSchema } from "#domain/schemas"
import { sendCsv } from "#server/lib/csv.ts"
import { clock, toTimestamp } from "#server/lib/time.ts"
import { countAll } from "./count.ts"
import { type FoundRow, findAttestations, type OrderedSearch, ofInvestor, toSummary } from "./search.ts"

/** Rows to read and write at a time. */
const BATCH = 1000

const columns = [
  "attestation_id",
  "status",
  "schema",
  "user_pubkey",
  "external_id",
  "started_at",
  "issued_at",
  "expires_at",
  "revoked_at",
  "reason",
  "onchain_tx",
  "investor_id",
] as const

/** What a list shows about an attestation, and how it ended. */
const toLine = (row: FoundRow, now: Date) => ({
  ...toSummary(row, now),
  revoked_at: row.revoked_at && toTimestamp(row.revoked_at),
  reason: row.reason,
})

/** Sends all matching attestations as CSV, in list order. Errors at the start: insufficient_scope, unknown_schema. */
export async function exportAttestations(
  principal: Principal,
  filter: OrderedSearch,
  response: ServerResponse,
  principalNow: () => Promise<Principal>,
): Promise<void> {
  requireScope(principal, "attestation:read")
  const { workspaceId } = principal
  if (filter.schema !== undefined) await requireSchema(workspaceId, filter.schema)
  const now = clock.now()
  const [found, rows] = await Promise.all([ofInvestor(workspaceId, filter), countAll(workspaceId, filter)])
  await sendCsv(response, {
    filename: `attestations-${now.toISOString().slice(0, 10)}.csv`,
    rows,
    columns,
    requireAccess: async () => requireScope(await principalNow(), "attestation:read"),
    toLine: (row: FoundRow) => toLine(row, now),
    readAfter: (last) => findAttestations(workspaceId, found, { last, order: filter.order, limit: BATCH }),
  })
}
