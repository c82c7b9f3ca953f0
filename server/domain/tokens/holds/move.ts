import type { Queryable } from "#db/client.ts"
import { accountName, assetMintOf } from "#domain/token-accounts"
import { enqueue } from "#server/ledger/index.ts"
import { newId } from "#server/lib/ids.ts"
import { clock } from "#server/lib/time.ts"
import { addressOf } from "#server/solana/addresses.ts"
import type { Address } from "#shared/address.ts"
import { type ConfigRow, loadConfigs } from "../config.ts"
import { lockHoldings } from "../holder-facts.ts"
import { moveHold } from "../operations/move-hold.ts"
import { type BoundHold, bindHolds } from "./bound-holds.ts"
import { findHold } from "./hold.ts"
import { whyEnded } from "./named-holds.ts"

/**
 * Queues moving a hold from a lost wallet's hold account into another wallet's, and returns the operation's id. Until it
 * ends, nothing else releases the hold or takes from it. Null if it has to wait, because something takes from the hold,
 * the token is paused or its mode is changing; and if there is nothing to move. In agent mode there is none, because
 * holds are in main accounts. Publish `ledger` after the commit. Errors: hold_not_found.
 */
export async function enqueueMoveHold(
  sql: Queryable,
  workspaceId: string,
  { holdId, to, recoveryId }: { holdId: string; to: Address; recoveryId: string },
): Promise<string | null> {
  const { mint_config, wallet: from } = await findHold(sql, workspaceId, holdId)
  const config = (await loadConfigs(sql, workspaceId, [mint_config], { lock: true })).get(mint_config)!
  if (from === to || !movesHolds(config)) return null
  const [giver, taker] = [from, to].map((wallet) => ({ config: mint_config, wallet })) as [Key, Key]
  const holdings = await lockHoldings(sql, workspaceId, [giver, taker])
  const about = { keys: [giver], named: [holdId], holdingOf: holdings.of.bind(holdings), now: clock.now() }
  const holds = await bindHolds(sql, workspaceId, about)
  const hold = holds.get(holdId)
  // It can have moved while the holdings were being locked.
  if (hold === undefined || !isMovable(hold)) return null
  const id = newId("op")
  const amount = hold.remaining
  const taken = holds.take([holdId], amount, id, holdings.of(giver))
  await holds.save(sql, workspaceId)
  await holdings.save(sql)
  const between = { mint_config, from_wallet: from, wallet: to }
  return enqueue(sql, workspaceId, moveHold, {
    id,
    payload: { ...between, amount: taken[0]!.amount, hold_id: holdId, holds: taken, recovery_id: recoveryId },
    writes: [accountName(mint_config, from), accountName(mint_config, to)],
    reads: [addressOf(assetMintOf(workspaceId, mint_config))],
  })
}

type Key = { config: string; wallet: Address }

const movesHolds = ({ transfer_mode, next_transfer_mode, counted_up_to, paused }: ConfigRow): boolean =>
  transfer_mode === "holder" && next_transfer_mode === null && counted_up_to === null && !paused

const isMovable = (hold: BoundHold): boolean =>
  whyEnded(hold) === null && hold.taking === 0n && hold.account !== null && hold.next_account === null
