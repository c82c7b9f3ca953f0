import type { ServerResponse } from "node:http"
import { z } from "zod"
import { sql } from "#db/client.ts"
import { type Principal, requireScope } from "#domain/requests"
import { sendCsv } from "#server/lib/csv.ts"
import { toCursor } from "#server/lib/cursor.ts"
import { findDistribution } from "./distribution.ts"
import { type PayoutRow, readPayouts, toPayoutRecord } from "./payout.ts"

export const reportQuery = z.object({ distribution: z.string().min(1).max(100) })

const BATCH = 1000

const fileColumns = [
  "payout_id",
  "user_pubkey",
  "paid_to",
  "investor_id",
  "external_id",
  "units",
  "amount",
  "status",
  "withheld_reason",
  "detail",
  "operation_id",
  "onchain_tx",
  "external_reference",
  "paid_at",
] as const

/**
 * Sends every payout of a distribution as CSV, by wallet. Errors, before the first byte: insufficient_scope,
 * distribution_not_found.
 */
export async function sendReport(
  principal: Principal,
  { distribution: id }: z.infer<typeof reportQuery>,
  response: ServerResponse,
  principalNow: () => Promise<Principal>,
): Promise<void> {
  requireScope(principal, "token:read")
  const { workspaceId } = principal
  const distribution = await findDistribution(sql, workspaceId, id)
  await sendCsv(response, {
    filename: `distribution-${id}.csv`,
    rows: distribution.payouts,
    columns: fileColumns,
    requireAccess: async () => requireScope(await principalNow(), "token:read"),
    toLine: (row: PayoutRow) => toPayoutRecord(principal, row, distribution),
    readAfter: async (last) => {
      const cursor = last && toCursor(last.id)
      return (await readPayouts(workspaceId, { distributionId: id, status: null, limit: BATCH, cursor })).data
    },
  })
}
