import { background as sql } from "#db/client.ts"
import { columns, type RowOf } from "#db/rows.ts"
import { logger } from "#server/lib/log.ts"
import { addSeconds, clock } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"

// How far the movements of a token are recorded since its holders can move it, and from when on they are lost.

/** After so many hours without the history on any node, it counts as lost, and after so many unobserved they start again. */
const LOST_AFTER_HOURS = 24
const UNSEEN_HOURS = 1

export const periodColumns = columns(
  "holder_periods",
  "workspace_id, mint_config, since, followed_slot, cursor_signature, cursor_slot, walk, missing_since, missing_seen_at",
)
/** `counted_slot`: the last slot that an earlier count of balances included. */
export type Period = RowOf<typeof periodColumns> & { mint: Address; counted_slot: bigint | null }

/** Whether no other process has written since a period was read. */
export const isUnchanged = ({
  workspace_id,
  mint_config,
  followed_slot,
  cursor_signature,
  walk,
  missing_since,
}: Period) => sql`
  workspace_id = ${workspace_id} and mint_config = ${mint_config} and until is null and lost_at is null
  and followed_slot is not distinct from ${followed_slot} and cursor_signature is not distinct from ${cursor_signature}
  and walk is not distinct from ${walk && sql.json(walk)} and missing_since is not distinct from ${missing_since}`

/** Movements after this slot are unknown. Null means since holders could move the token. */
type Lost = { at: Date | null; slot: number | bigint | null }

const lose = (period: Period, { at, slot }: Lost) => sql`
  update holder_periods set lost_slot = ${slot}, lost_at = coalesce(${at}::timestamptz, greatest(followed_at, since))
  where ${isUnchanged(period)}`

/**
 * Notes that no node has the history, or no two agree on it. Once that was seen for long without a break, everything after
 * the followed slot is lost.
 */
export async function noteMissing(period: Period): Promise<void> {
  const { workspace_id, mint_config, followed_slot, missing_since, missing_seen_at } = period
  const now = clock.now()
  // While no process looked, nodes may have had it.
  const isOngoing = missing_seen_at !== null && addSeconds(missing_seen_at, UNSEEN_HOURS * 3600) > now
  const since = (isOngoing && missing_since) || now
  if (addSeconds(since, LOST_AFTER_HOURS * 3600) > now) {
    await sql`
      update holder_periods set missing_since = ${since}, missing_seen_at = ${now} where ${isUnchanged(period)}`
    return
  }
  logger.error(
    { workspace_id, mint_config },
    "nodes lack the history of what holders moved, or contradict each other; it is lost",
  )
  await lose(period, { at: null, slot: followed_slot })
}

/** Everything from a transaction on that nodes had left out counts as lost. */
export async function loseFrom(
  period: Period,
  { signature, slot, landedAt }: { signature: string; slot: number; landedAt: Date },
): Promise<void> {
  const { workspace_id, mint_config } = period
  logger.error({ workspace_id, mintConfig: mint_config, signature }, "nodes had left out what holders moved")
  await lose(period, { at: landedAt, slot: slot - 1 })
}
