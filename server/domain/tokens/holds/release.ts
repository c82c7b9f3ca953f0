import { type Queryable, sql } from "#db/client.ts"
import { publishActivity } from "#db/pubsub.ts"
import { type Author, recordChange } from "#domain/audit-log"
import { type Command, claimKey, type Principal } from "#domain/requests"
import { refuseInQuarantine, whileWaiting } from "#server/ledger/index.ts"
import { clock } from "#server/lib/time.ts"
import { fromBaseUnits } from "#shared/amount.ts"
import { fail } from "#shared/errors.ts"
import { type ConfigRow, loadConfigs } from "../config.ts"
import { lockHoldings } from "../holder-facts.ts"
import { refusalOfPaused } from "../operations/held-account.ts"
import { beginRelease, outcomeOf } from "./begin.ts"
import { bindHolds } from "./bound-holds.ts"
import { findHold, type ShownRow } from "./hold.ts"
import { whyEnded } from "./named-holds.ts"
import type { HoldAnswer } from "./place.ts"

/**
 * Releases what a hold still holds, so that it is available again. In holder mode an operation moves it back. Errors:
 * hold_not_found, hold_ended, mint_paused, account_reopening_limit, chain_unavailable in quarantine.
 */
export const releaseHold = (command: Releasing): Promise<HoldAnswer> =>
  command.respondAsync ? begin(command) : whileWaiting(command.principal.workspaceId, () => begin(command))

type Releasing = Command & { holdId: string; respondAsync: boolean }

async function begin(command: Releasing): Promise<HoldAnswer> {
  const { principal, idempotency, holdId, respondAsync } = command
  const operationId = idempotency?.begun ? await releasing(principal, holdId) : await end(command)
  return outcomeOf(principal, { holdId, operationId, respondAsync })
}

/** The operation that releases a hold; null if it has been released. */
async function releasing({ workspaceId }: Principal, holdId: string): Promise<string | null> {
  const { state, account, operation_id } = await findHold(sql, workspaceId, holdId)
  return state === "active" && account !== null ? operation_id : null
}

/** Ends a hold. Returns the operation that does it in holder mode. */
async function end({ principal, requestId, idempotency, holdId }: Releasing): Promise<string | null> {
  const { workspaceId } = principal
  const operationId = await sql.begin(async (sql) => {
    const hold = await findHold(sql, workspaceId, holdId)
    const configs = await loadConfigs(sql, workspaceId, [hold.mint_config], { lock: true })
    await refuseInQuarantine(sql, workspaceId)
    if (idempotency) await claimKey(sql, idempotency, holdId)
    const config = configs.get(hold.mint_config)!
    return endHold(sql, workspaceId, { author: { principal, requestId }, hold, config })
  })
  publishActivity(workspaceId)
  return operationId
}

/** Releases a hold whose configuration is locked. Errors: hold_ended, mint_paused. */
async function endHold(
  sql: Queryable,
  workspaceId: string,
  about: { author: Author; hold: ShownRow; config: ConfigRow },
): Promise<string | null> {
  const { author, hold: row, config } = about
  const { id, mint_config, wallet, decimals } = row
  const now = clock.now()
  const key = { config: mint_config, wallet }
  const holdings = await lockHoldings(sql, workspaceId, [key])
  const holding = holdings.of(key)
  const holds = await bindHolds(sql, workspaceId, { keys: [key], named: [id], holdingOf: () => holding, now })
  const hold = holds.get(id)!
  const ended = whyEnded(hold)
  if (ended !== null) fail("hold_ended", ended)
  const paused = hold.account === null ? null : refusalOfPaused(config)
  if (paused) fail("mint_paused", paused.detail)
  const released = fromBaseUnits(hold.remaining, decimals)
  const operationId =
    hold.account === null ? null : await beginRelease(sql, workspaceId, { hold, holds, holding, endsAs: "released" })
  if (operationId === null) holds.end(hold, "released", now, holding)
  await holds.save(sql, workspaceId)
  await holdings.save(sql)
  const detail = { mint_config, wallet, amount: released }
  await recordChange(sql, workspaceId, { author, action: "hold.released", subject: id, detail })
  return operationId
}
