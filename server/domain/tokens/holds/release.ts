import { type Queryable, sql } from "#db/client.ts"
import { publishActivity } from "#db/pubsub.ts"
import { type Author, recordChange } from "#domain/audit-log"
import { type Command, claimKey } from "#domain/requests"
import { refuseInQuarantine } from "#server/ledger/index.ts"
import { clock } from "#server/lib/time.ts"
import { fromBaseUnits } from "#shared/amount.ts"
import { fail } from "#shared/errors.ts"
import { loadConfigs } from "../config.ts"
import { lockHoldings } from "../holder-facts.ts"
import { bindHolds } from "./bound-holds.ts"
import { findHold, getHold, type HoldRecord, type ShownRow, toHoldRecord } from "./hold.ts"
import { whyEnded } from "./named-holds.ts"

/**
 * Releases what a hold still holds, so that it is available again. Errors: hold_not_found, hold_ended,
 * chain_unavailable in quarantine.
 */
export async function releaseHold(command: Command & { holdId: string }): Promise<HoldRecord> {
  const { principal, requestId, idempotency, holdId } = command
  const { workspaceId } = principal
  if (idempotency?.begun) return getHold(principal, holdId)
  const record = await sql.begin(async (sql) => {
    const hold = await findHold(sql, workspaceId, holdId)
    await loadConfigs(sql, workspaceId, [hold.mint_config], { lock: true })
    await refuseInQuarantine(sql, workspaceId)
    await endHold(sql, workspaceId, { author: { principal, requestId }, hold })
    if (idempotency) await claimKey(sql, idempotency, holdId)
    return toHoldRecord(await findHold(sql, workspaceId, holdId))
  })
  publishActivity(workspaceId)
  return record
}

/** Releases a hold whose configuration is locked. Errors: hold_ended. */
async function endHold(
  sql: Queryable,
  workspaceId: string,
  { author, hold: { id, mint_config, wallet, decimals } }: { author: Author; hold: ShownRow },
): Promise<void> {
  const now = clock.now()
  const key = { config: mint_config, wallet }
  const holdings = await lockHoldings(sql, workspaceId, [key])
  const holdingOf = () => holdings.of(key)
  const holds = await bindHolds(sql, workspaceId, { keys: [key], named: [id], holdingOf, now })
  const hold = holds.get(id)!
  const ended = whyEnded(hold)
  if (ended !== null) fail("hold_ended", ended)
  const released = fromBaseUnits(hold.remaining, decimals)
  holds.end(hold, "released", now, holdingOf())
  await holds.save(sql, workspaceId)
  await holdings.save(sql)
  const detail = { mint_config, wallet, amount: released }
  await recordChange(sql, workspaceId, { author, action: "hold.released", subject: id, detail })
}
