import { type Queryable, sql } from "#db/client.ts"
import { publishActivity } from "#db/pubsub.ts"
import { recordChange } from "#domain/audit-log"
import { type Command, claimKey } from "#domain/requests"
import { refuseInQuarantine, whileWaiting } from "#server/ledger/index.ts"
import { newId } from "#server/lib/ids.ts"
import { clock } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import { fromBaseUnits, toBaseUnits } from "#shared/amount.ts"
import { fail } from "#shared/errors.ts"
import type { ReasonCode } from "#shared/movements.ts"
import { type ConfigRow, invalidAmount, loadConfigs, refuse, unknownConfig } from "../config.ts"
import { type Holdings, lockHoldings } from "../holder-facts.ts"
import { refusalOfPaused } from "../operations/held-account.ts"
import { beginHold, type HoldOutcome, outcomeOf } from "./begin.ts"
import { bindHolds } from "./bound-holds.ts"
import { findHold, toHoldRecord } from "./hold.ts"

export type Placing = Command & {
  respondAsync: boolean
  wallet: Address
  mintConfig: string
  /** Whole tokens, as the caller wrote them. */
  amount: string
  reasonCode: ReasonCode
  reference: string
  expiresAt: Date | null
}

/**
 * Holds part of a wallet's balance, whatever the rules say about the wallet. In holder mode an operation moves it. Errors:
 * unknown_mint_config, invalid_amount, insufficient_balance, amount_held, validation_failed for the expiry, mint_paused,
 * account_reopening_limit, chain_unavailable in quarantine.
 */
export const placeHold = (placing: Placing): Promise<HoldOutcome> =>
  placing.respondAsync ? begin(placing) : whileWaiting(placing.principal.workspaceId, () => begin(placing))

async function begin(placing: Placing): Promise<HoldOutcome> {
  const { principal, idempotency, respondAsync } = placing
  const holdId = idempotency?.begun ?? (await record(placing))
  const { state, operation_id } = await findHold(sql, principal.workspaceId, holdId)
  const operationId = state === "pending" || state === "failed" ? operation_id : null
  return outcomeOf(principal, { holdId, operationId, respondAsync })
}

/** Records a hold, and returns its id. */
async function record(placing: Placing): Promise<string> {
  const { principal, requestId, idempotency, wallet, mintConfig, reasonCode, reference, expiresAt } = placing
  const { workspaceId } = principal
  const now = clock.now()
  if (expiresAt !== null && expiresAt <= now) fail("validation_failed", "expires_at: must be in the future.")
  const id = newId("hold")
  await sql.begin(async (sql) => {
    const config = (await loadConfigs(sql, workspaceId, [mintConfig], { lock: true })).get(mintConfig)
    if (!config) return refuse(unknownConfig(mintConfig))
    const amount = toBaseUnits(placing.amount, config.decimals) ?? refuse(invalidAmount(config))
    await refuseInQuarantine(sql, workspaceId)
    if (idempotency) await claimKey(sql, idempotency, id)
    const isOnChain = config.transfer_mode === "holder"
    let operationId: string | null = null
    if (isOnChain || config.counted_up_to !== null) requireMovable(config, wallet)
    if (isOnChain) {
      const grounds = { reason_code: reasonCode, reference }
      const payload = { mint_config: mintConfig, from_wallet: wallet, amount, hold_id: id, ...grounds }
      operationId = await beginHold(sql, workspaceId, payload)
    } else {
      const holdings = await lockHoldings(sql, workspaceId, [{ config: mintConfig, wallet }])
      await requireAvailable(sql, workspaceId, { config, wallet, amount, holdings, now })
      holdings.of({ config: mintConfig, wallet }).held += amount
      await holdings.save(sql)
    }
    await sql`
      insert into holds (workspace_id, id, mint_config, wallet, amount, remaining, state, reason_code, reference,
        expires_at, operation_id, created_at)
      values (${workspaceId}, ${id}, ${mintConfig}, ${wallet}, ${String(amount)}, ${String(amount)},
        ${isOnChain ? "pending" : "active"}, ${reasonCode}, ${reference}, ${expiresAt}, ${operationId}, ${now})`
    const row = await findHold(sql, workspaceId, id)
    const { user_pubkey, amount: whole, reason_code, expires_at } = toHoldRecord(row)
    const detail = { mint_config: mintConfig, wallet: user_pubkey, amount: whole, reason_code, reference, expires_at }
    await recordChange(sql, workspaceId, {
      author: { principal, requestId },
      action: "hold.created",
      subject: id,
      detail,
    })
  })
  publishActivity(workspaceId)
  return id
}

/** In holder mode, and until it is read back after a change to agent mode, only the chain knows the balance. Errors: mint_paused, insufficient_balance. */
function requireMovable(config: ConfigRow, wallet: Address): void {
  const paused = refusalOfPaused(config)
  if (paused) fail("mint_paused", paused.detail)
  if (config.mint === null) fail("insufficient_balance", `amount: at most 0 of ${wallet} can be held.`)
}

/** Refuses to hold more than is available. Expired holds end first. Errors: insufficient_balance, amount_held. */
async function requireAvailable(
  sql: Queryable,
  workspaceId: string,
  about: { config: ConfigRow; wallet: Address; amount: bigint; holdings: Holdings; now: Date },
): Promise<void> {
  const { config, wallet, amount, holdings, now } = about
  const key = { config: config.id, wallet }
  const holding = holdings.of(key)
  const holds = await bindHolds(sql, workspaceId, { keys: [key], holdingOf: () => holding, now })
  await holds.save(sql, workspaceId)
  const movable = holding.balance - holding.outgoing
  const most = (units: bigint) => fromBaseUnits(units, config.decimals)
  if (movable < amount) fail("insufficient_balance", `amount: at most ${most(movable)} of ${wallet} can be held.`)
  if (movable - holding.held >= amount) return
  const others = holds.of(key).map(({ id }) => id)
  fail(
    "amount_held",
    `amount: at most ${most(movable - holding.held)} of ${wallet} can be held. ${others.join(", ")} hold the rest.`,
  )
}
