import { sql } from "#db/client.ts"
import { only } from "#db/rows.ts"
import { seqAt } from "#db/seq-at.ts"
import type { Principal } from "#domain/requests"
import { requireConfig } from "#domain/tokens"
import { pageOf } from "#server/lib/cursor.ts"
import type { DistributionState } from "#shared/distributions.ts"
import {
  type DistributionRecord,
  type DistributionRow,
  distributionRows,
  findDistribution,
  recordOf,
  recordsOf,
  stateOf,
} from "./distribution.ts"
import { findPayout, type PayoutFilter, type PayoutRecord, readPayouts, settled, toPayoutRecord } from "./payout.ts"

/** Errors: distribution_not_found. */
export const readDistribution = async ({ workspaceId }: Principal, id: string): Promise<DistributionRecord> =>
  recordOf(sql, await findDistribution(sql, workspaceId, id))

/** How many of its payouts are paid, by Vouch or elsewhere. Errors: distribution_not_found. */
export async function countPaid({ workspaceId }: Principal, id: string): Promise<{ paid: number }> {
  await findDistribution(sql, workspaceId, id)
  const rows = await sql<{ paid: number }[]>`
    select count(*)::int as paid from (${settled(sql, workspaceId, sql`p.distribution_id = ${id}`)}) p
    where p.status in ('paid', 'external_paid')`
  return only(rows)
}

export type DistributionFilter = {
  mintConfig: string | null
  state: DistributionState | null
  limit: number
  cursor: string | null
}

/** Newest first. Errors: validation_failed for a cursor, unknown_mint_config. */
export async function listDistributions(
  { workspaceId }: Principal,
  { mintConfig, state, limit, cursor }: DistributionFilter,
): Promise<{ data: DistributionRecord[]; next_cursor: string | null }> {
  const before = cursor === null ? null : await seqAt("distributions", "dist", workspaceId, cursor)
  const rows = await sql<DistributionRow[]>`
    ${distributionRows(sql)} where d.workspace_id = ${workspaceId}
      ${mintConfig === null ? sql`` : sql`and d.mint_config = ${mintConfig}`}
      ${state === null ? sql`` : sql`and ${stateOf(sql)} = ${state}`}
      ${before === null ? sql`` : sql`and d.seq < ${before}`}
    order by d.seq desc nulls last limit ${limit + 1}`
  if (rows.length === 0 && mintConfig !== null) await requireConfig(workspaceId, mintConfig)
  const { data, next_cursor } = pageOf(rows, limit, (row) => row)
  return { data: await recordsOf(sql, workspaceId, data), next_cursor }
}

/** Errors: payout_not_found. */
export async function readPayout(principal: Principal, id: string): Promise<PayoutRecord> {
  const row = await findPayout(sql, principal.workspaceId, id)
  return toPayoutRecord(principal, row, await findDistribution(sql, principal.workspaceId, row.distribution_id))
}

/** By wallet. Errors: distribution_not_found, validation_failed for a cursor. */
export async function listPayouts(
  principal: Principal,
  filter: PayoutFilter,
): Promise<{ data: PayoutRecord[]; next_cursor: string | null }> {
  const { workspaceId } = principal
  const distribution = await findDistribution(sql, workspaceId, filter.distributionId)
  const { data, next_cursor } = await readPayouts(workspaceId, filter)
  return { data: data.map((row) => toPayoutRecord(principal, row, distribution)), next_cursor }
}
