import type { ServerResponse } from "node:http"
import { z } from "zod"
import { sql } from "#db/client.ts"
import { columns, type RowOf } from "#db/rows.ts"
import { shownStatusAt } from "#domain/attestations"
import { type Principal, requireScope } from "#domain/requests"
import { sendCsv } from "#server/lib/csv.ts"
import { clock, toTimestamp } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import { fromBaseUnits, percentOf } from "#shared/amount.ts"
import { configNotFound } from "./configs.ts"
import { loadFreezes, toWalletFreeze } from "./freezes.ts"
import { readBooksSlot } from "./register.ts"

export const registerQuery = z.object({ mint_config: z.string().min(1).max(100) })

const BATCH = 1000
/** Decimal places of the percentages: enough for a spreadsheet to add them up. */
const PLACES = 8

const fileColumns = [
  "position",
  "user_pubkey",
  "investor_id",
  "external_id",
  "balance",
  "percent",
  "verification",
  "as_of",
  "slot",
  "available",
  "held",
  "frozen_since",
] as const

const statusColumns = columns("attestations", "status, open_until, expires_at, revoked_at")
type Facts = { wallet: Address; investor_id: string | null; external_id: string | null } & Partial<
  RowOf<typeof statusColumns>
>
type Line = {
  position: number
  balance: bigint
  available: bigint
  held: bigint
  frozenSince: string | null
  facts: Facts
}

/**
 * Sends the register of a token as CSV, the largest holders first. All balances are from one moment, however slow the
 * client is, so their sum is the supply at that moment. Investors, their verification status and
 * freezes are read during the download. Errors, before the first byte: insufficient_scope, mint_config_not_found.
 */
export async function exportHolders(
  principal: Principal,
  { mint_config: id }: z.infer<typeof registerQuery>,
  response: ServerResponse,
  principalNow: () => Promise<Principal>,
): Promise<void> {
  requireScope(principal, "token:read")
  const { workspaceId } = principal
  const now = clock.now()
  // Read before the balances, so that the balances include everything up to it.
  const slot = await readBooksSlot(principal)
  const { decimals, schemaId, supply, holders } = await readSnapshot(workspaceId, id)
  await sendCsv(response, {
    filename: `holders-${id}-${now.toISOString().slice(0, 10)}.csv`,
    rows: holders.length,
    columns: fileColumns,
    requireAccess: async () => requireScope(await principalNow(), "token:read"),
    toLine: ({
      position,
      balance,
      available,
      held,
      frozenSince,
      facts: { wallet, external_id, investor_id, status, ...rest },
    }: Line) => ({
      position: String(position),
      user_pubkey: wallet,
      investor_id,
      external_id,
      balance: fromBaseUnits(balance, decimals),
      percent: percentOf(balance, supply, PLACES)?.replace(/^<.*/, "0") ?? null,
      verification: status ? shownStatusAt({ status, ...(rest as Required<typeof rest>) }, now) : null,
      as_of: toTimestamp(now),
      slot: slot === null ? null : String(slot),
      available: fromBaseUnits(available, decimals),
      held: fromBaseUnits(held, decimals),
      frozen_since: frozenSince,
    }),
    readAfter: (last) => readLines({ workspaceId, config: id, schemaId, now }, holders, last?.position ?? 0),
  })
}

type Snapshot = { decimals: number; schemaId: string; supply: bigint; holders: string[] }

/** One statement, so that balances and supply are from the same moment. Text takes 80 bytes per holder. */
async function readSnapshot(workspaceId: string, id: string): Promise<Snapshot> {
  type Row = { decimals: number; required_schema: string; supply: string; holders: string | null }
  const [row] = await sql<Row[]>`
    select c.decimals, c.required_schema, c.supply, (
      select string_agg(h.wallet || ' ' || h.balance || ' ' || h.outgoing || ' ' || coalesce(o.held, 0),
        E'\n' order by h.balance desc, h.wallet)
      from holdings h left join (
        select wallet, sum(remaining) as held from holds
        where workspace_id = ${workspaceId} and mint_config = ${id} and state = 'active'
          and (expires_at is null or expires_at > ${clock.now()})
        group by wallet) o on o.wallet = h.wallet
      where h.workspace_id = c.workspace_id and h.mint_config = c.id and h.balance > 0) as holders
    from mint_configs c where c.workspace_id = ${workspaceId} and c.id = ${id}`
  if (!row) return configNotFound(id, "mint_config")
  const { decimals, required_schema: schemaId, supply, holders } = row
  return { decimals, schemaId, supply: BigInt(supply), holders: holders?.split("\n") ?? [] }
}

async function readLines(
  { workspaceId, config, schemaId, now }: { workspaceId: string; config: string; schemaId: string; now: Date },
  holders: readonly string[],
  after: number,
): Promise<Line[]> {
  const batch = holders.slice(after, after + BATCH).map((line) => line.split(" ") as [Address, string, string, string])
  if (batch.length === 0) return []
  const rows = await sql<Facts[]>`
    select h.wallet, a.*, o.investor_id, i.external_id
    from unnest(${batch.map(([wallet]) => wallet)}::text[]) as h(wallet)
    left join lateral (
      select ${sql(statusColumns)} from attestations
      where workspace_id = ${workspaceId} and wallet = h.wallet and schema_id = ${schemaId}
      order by (status = 'verified' and expires_at > ${now}) desc, seq desc limit 1
    ) a on true cross join lateral wallet_owner(${workspaceId}, h.wallet) o
    left join investors i on i.workspace_id = ${workspaceId} and i.id = o.investor_id`
  const of = new Map(rows.map((row) => [row.wallet, row]))
  const freezesOf = await loadFreezes(
    sql,
    workspaceId,
    batch.map(([wallet]) => wallet),
  )
  return batch.map(([wallet, ...amounts], i) => {
    const [balance, outgoing, held] = amounts.map(BigInt) as [bigint, bigint, bigint]
    const available = balance - outgoing - held
    const facts = of.get(wallet)!
    return {
      ...{ position: after + i + 1, balance, available: available > 0n ? available : 0n, held, facts },
      frozenSince: toWalletFreeze(freezesOf({ config, wallet }))?.since ?? null,
    }
  })
}
