import type { z } from "zod"
import type { Queryable } from "#db/client.ts"
import { only } from "#db/rows.ts"
import { accountName, assetMintOf } from "#domain/token-accounts"
import { enqueue } from "#server/ledger/index.ts"
import { clock } from "#server/lib/time.ts"
import { addressOf, publicKeyOf } from "#server/solana/addresses.ts"
import { holdPlace } from "#server/solana/asset-hold.ts"
import type { Address } from "#shared/address.ts"
import type { ConfigRow } from "../config.ts"
import { lockHoldings } from "../holder-facts.ts"
import { carryHold } from "../operations/carry-hold.ts"
import { bindHolds } from "./bound-holds.ts"

// Holder mode keeps held tokens in hold accounts, agent mode in main accounts. When the mode changes, an operation
// carries each hold to the other. All accounts are frozen in the meantime.

/** The most holds to carry in one commit. */
const BATCH = 100

/** Where holds belong: in hold accounts or in main accounts. */
type HoldPlaceName = z.output<typeof carryHold.payload>["to"]

/** Holds of a configuration that are not yet where they belong, as table `h`. */
const misplaced = (sql: Queryable, to: HoldPlaceName) =>
  to === "account" ? sql`(h.account is null or h.next_account is not null)` : sql`h.account is not null`

/**
 * Whether every hold of a configuration is where it belongs. What was carried must be final: if a slot vanished after
 * accounts were opened, held tokens would be back in an open one.
 */
export async function areCarried(
  sql: Queryable,
  workspaceId: string,
  configId: string,
  to: HoldPlaceName,
): Promise<boolean> {
  const rows = await sql<{ done: boolean }[]>`
    select not exists (select from holds h
        where h.workspace_id = ${workspaceId} and h.mint_config = ${configId}
          and (h.state = 'pending' or (h.state = 'active' and ${misplaced(sql, to)})))
      and not exists (select from operations o
        where o.workspace_id = ${workspaceId} and o.mint_config = ${configId} and o.kind = ${carryHold.kind}
          and o.status in ('queued', 'submitted'))
      and not exists (
        select from transactions t join operations o on o.workspace_id = t.workspace_id and o.signature = t.signature
        where t.workspace_id = ${workspaceId} and t.status = 'confirmed' and t.finalized_at is null
          and o.mint_config = ${configId} and o.kind = ${carryHold.kind}) as done`
  return only(rows).done
}

/**
 * Queues carrying a batch of holds to where they belong. One that another operation still takes from is carried once that
 * has ended, so its amount stays what is queued. Nothing moves while a token is paused. The configuration is locked.
 */
export async function carryHolds(
  sql: Queryable,
  workspaceId: string,
  config: ConfigRow,
  to: HoldPlaceName,
): Promise<void> {
  if (config.paused) return
  const rows = await sql<{ id: string; wallet: Address }[]>`
    select h.id, h.wallet from holds h
    where h.workspace_id = ${workspaceId} and h.mint_config = ${config.id} and h.state = 'active' and h.taking = 0
      and h.next_account is null and ${misplaced(sql, to)}
      and not exists (select from operations o
        where o.workspace_id = h.workspace_id and o.mint_config = h.mint_config and o.kind = ${carryHold.kind}
          and o.status in ('queued', 'submitted') and o.payload ->> 'hold_id' = h.id)
    order by h.seq limit ${BATCH}`
  if (rows.length === 0) return
  const keys = rows.map(({ wallet }) => ({ config: config.id, wallet }))
  const holdings = await lockHoldings(sql, workspaceId, keys)
  const ids = rows.map(({ id }) => id)
  const about = { keys, named: ids, holdingOf: holdings.of.bind(holdings), now: clock.now() }
  const holds = await bindHolds(sql, workspaceId, about)
  await holds.save(sql, workspaceId)
  await holdings.save(sql)
  const mint = assetMintOf(workspaceId, config.id)
  for (const id of ids) {
    const hold = holds.get(id)!
    // It has changed while its holding was being locked, or has expired.
    if (hold.state !== "active" || hold.taking > 0n) continue
    const { wallet, remaining } = hold
    const base = publicKeyOf(config.authority!)
    // Until the worker has read which account exists, this marks the hold as being carried.
    const nextAccount = to === "main" ? null : addressOf(holdPlace(base, mint, publicKeyOf(wallet)).account)
    await sql`update holds set next_account = ${nextAccount} where workspace_id = ${workspaceId} and id = ${id}`
    await enqueue(sql, workspaceId, carryHold, {
      payload: { mint_config: config.id, wallet, amount: remaining as never, hold_id: id, to },
      writes: [accountName(config.id, wallet)],
      reads: [addressOf(mint)],
    })
  }
}

/** Whether a configuration has holds that a change of mode must carry. */
export async function hasOpenHolds(sql: Queryable, workspaceId: string, configId: string): Promise<boolean> {
  const rows = await sql`
    select from holds where workspace_id = ${workspaceId} and mint_config = ${configId}
      and state in ('pending', 'active') limit 1`
  return rows.length > 0
}
