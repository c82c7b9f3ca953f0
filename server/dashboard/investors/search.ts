import { z } from "zod"
import { sql } from "#db/client.ts"
import { columns, type RowOf } from "#db/rows.ts"
import { findRows, searchFilter } from "#server/domain/attestations/search.ts"
import { shownStatusAt } from "#server/domain/attestations/status.ts"
import type { Principal } from "#server/domain/context.ts"
import { statesOf, walletsOf } from "#server/domain/investors/wallets.ts"
import { requireSchema } from "#server/domain/kyc/schemas/require.ts"
import { badCursor, fromCursor, toCursor } from "#server/lib/cursor.ts"
import { clock, toTimestamp } from "#server/lib/time.ts"
import type { ShownStatus } from "#shared/statuses.ts"

/** By what their verifications are: those of whom one matches, by the newest that does. */
export const investorSearch = searchFilter.omit({ investor: true }).extend({
  cursor: z.string().max(100).optional(),
})
export type InvestorSearch = z.infer<typeof investorSearch>

export type InvestorSummary = {
  investor_id: string
  external_id: string | null
  /** Newest first. */
  wallets: string[]
  /** What their wallets' verifications are now, each status once. */
  statuses: ShownStatus[]
  /** When the newest verification that matches was started. */
  started_at: string
  first_seen_at: string
}

const PAGE = 50

const latestColumns = columns("attestations", "id", "investor_id", "created_at")
const investorColumns = columns("investors", "id", "external_id", "created_at")

/** A page of investors. Errors: validation_failed for a cursor, unknown_schema. */
export async function searchInvestors(
  { workspaceId }: Principal,
  { cursor, ...filter }: InvestorSearch,
): Promise<{ data: InvestorSummary[]; next_cursor: string | null }> {
  const last = cursor === undefined ? null : await placeOf(workspaceId, cursor)
  const rows = await findRows<RowOf<typeof latestColumns>>(
    workspaceId,
    { ...filter, onePerInvestor: true },
    { last, limit: PAGE + 1, fields: () => sql`${sql(latestColumns)}` },
  )
  if (rows.length === 0 && filter.schema !== undefined) await requireSchema(workspaceId, filter.schema)
  const shown = rows.slice(0, PAGE)
  const ids = shown.map((row) => row.investor_id)
  const [investors, wallets] = await Promise.all([
    sql<RowOf<typeof investorColumns>[]>`
      select ${sql(investorColumns)} from investors where workspace_id = ${workspaceId} and id = any(${ids})`,
    walletsOf(workspaceId, ids),
  ])
  const byId = new Map(investors.map((row) => [row.id, row]))
  const states = Map.groupBy(await statesOf(workspaceId, ids.flatMap(wallets)), (row) => row.wallet)
  const now = clock.now()
  return {
    data: shown.flatMap((row) => {
      const investor = byId.get(row.investor_id)
      if (!investor) return []
      const own = wallets(row.investor_id)
      const statuses = own.flatMap((wallet) => states.get(wallet) ?? []).map((one) => shownStatusAt(one, now))
      return [
        {
          investor_id: investor.id,
          external_id: investor.external_id,
          wallets: own,
          statuses: [...new Set(statuses)],
          started_at: toTimestamp(row.created_at),
          first_seen_at: toTimestamp(investor.created_at),
        },
      ]
    }),
    next_cursor: rows.length > PAGE ? toCursor(shown.at(-1)!.id) : null,
  }
}

async function placeOf(workspaceId: string, cursor: string): Promise<bigint> {
  const [row] = await sql<{ seq: bigint }[]>`
    select seq from attestations where workspace_id = ${workspaceId} and id = ${fromCursor("att", cursor)}`
  return row?.seq ?? badCursor()
}
