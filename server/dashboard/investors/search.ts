import { z } from "zod"
import { sql } from "#db/client.ts"
import { columns, type RowOf } from "#db/rows.ts"
import { findRows, orderedSearch, type Place, placeOf, shownStatusAt } from "#domain/attestations"
import { type StateRow, statesOf, walletsOf } from "#domain/investors"
import type { Principal } from "#domain/requests"
import { requireSchema } from "#domain/schemas"
import { badCursor, toCursor } from "#server/lib/cursor.ts"
import { clock, toTimestamp } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import { fromBaseUnits } from "#shared/amount.ts"

/** Filters by verifications: investors with a matching one, each listed by its first match in the given order. */
export const investorSearch = orderedSearch.omit({ investor: true }).extend({
  cursor: z.string().max(100).optional(),
})
export type InvestorSearch = z.infer<typeof investorSearch>

const PAGE = 50

const latestColumns = columns("attestations", "id, investor_id, status, open_until, revoked_at, created_at, expires_at")
const investorColumns = columns("investors", "id, external_id, created_at")

/**
 * A page of investors. An investor who starts a verification moves in the list, so all pages of a reader use the state
 * at the first page. Errors: validation_failed for a cursor, unknown_schema.
 */
export async function searchInvestors({ workspaceId }: Principal, { cursor, order, ...filter }: InvestorSearch) {
  const { last, upTo } = await readCursor(workspaceId, cursor)
  const rows = await findRows<RowOf<typeof latestColumns>>(
    workspaceId,
    { ...filter, onePerInvestor: true, upTo },
    { last, order, limit: PAGE + 1, fields: () => sql`${sql(latestColumns)}` },
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
  const [verifications, balances] = await Promise.all([
    statesOf(
      workspaceId,
      ids.map((investorId) => ({ investorId, wallets: wallets(investorId) })),
    ),
    readBalances(workspaceId, ids.flatMap(wallets)),
  ])
  const states = Map.groupBy(verifications, (row) => row.wallet)
  const now = clock.now()
  return {
    data: shown.flatMap((row) => {
      const investor = byId.get(row.investor_id)
      if (!investor) return []
      const own = wallets(row.investor_id)
      const current = own.flatMap((wallet) => states.get(wallet) ?? [])
      const statuses = current.map((one) => shownStatusAt(one, now))
      // A list by expiry shows the one that it is sorted by.
      const expires_at = order === "expiry" ? row.expires_at : nearestExpiry(current, filter.schema, now)
      return [
        {
          investor_id: investor.id,
          external_id: investor.external_id,
          wallets: own,
          // An investor who only named another person's wallet has only that session.
          statuses: statuses.length > 0 ? [...new Set(statuses)] : [shownStatusAt(row, now)],
          // Of the verification that they are listed by.
          started_at: toTimestamp(row.created_at),
          // When the first of their valid verifications ends, of the schema that was asked for.
          expires_at: expires_at && toTimestamp(expires_at),
          // What all their wallets hold, after confirmed operations.
          holdings: holdingsOf(own.flatMap((wallet) => balances.get(wallet) ?? [])),
          first_seen_at: toTimestamp(investor.created_at),
        },
      ]
    }),
    next_cursor: upTo && rows.length > PAGE ? `${toCursor(shown.at(-1)!.id)}~${toCursor(upTo.id)}` : null,
  }
}

function nearestExpiry(states: readonly StateRow[], schema: string | undefined, now: Date): Date | null {
  const ends = states.flatMap((one) =>
    one.expires_at !== null && (schema ?? one.schema_id) === one.schema_id && shownStatusAt(one, now) === "verified"
      ? one.expires_at.getTime()
      : [],
  )
  return ends.length === 0 ? null : new Date(Math.min(...ends))
}

type Balance = { wallet: Address; mint_config: string; symbol: string; decimals: number; balance: string }

/** The balances of wallets, by the wallet. */
async function readBalances(
  workspaceId: string,
  wallets: readonly Address[],
): Promise<ReadonlyMap<Address, Balance[]>> {
  const rows = await sql<Balance[]>`
    select h.wallet, h.mint_config, c.symbol, c.decimals, h.balance
    from mint_configs c cross join unnest(${wallets as Address[]}::text[]) as w(wallet)
    join holdings h on h.workspace_id = ${workspaceId} and h.mint_config = c.id and h.wallet = w.wallet
    where c.workspace_id = ${workspaceId} and h.balance > 0`
  return Map.groupBy(rows, ({ wallet }) => wallet)
}

/** The total of each token, the largest first. */
function holdingsOf(balances: readonly Balance[]): { mint_config: string; symbol: string; amount: string }[] {
  return [...Map.groupBy(balances, ({ mint_config }) => mint_config)]
    .map(([mint_config, of]) => {
      const units = of.reduce((sum, { balance }) => sum + BigInt(balance), 0n)
      const { symbol, decimals } = of[0]!
      return { mint_config, symbol, amount: fromBaseUnits(units, decimals) }
    })
    .sort((one, other) => Number(other.amount) - Number(one.amount))
}

/** The last row of the previous page, and the newest row at the time of the first page. */
async function readCursor(
  workspaceId: string,
  cursor: string | undefined,
): Promise<{ last: Place | null; upTo: Place | undefined }> {
  if (cursor === undefined) {
    const [newest] = await sql<Place[]>`
      select id, seq from attestations where workspace_id = ${workspaceId} order by seq desc nulls last limit 1`
    return { last: null, upTo: newest }
  }
  const [last, upTo, ...rest] = await Promise.all(cursor.split("~").map((one) => placeOf(workspaceId, one)))
  return last && upTo && rest.length === 0 ? { last, upTo } : badCursor()
}
