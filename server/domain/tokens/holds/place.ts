import { type Queryable, sql } from "#db/client.ts"
import { publishActivity } from "#db/pubsub.ts"
import { recordChange } from "#domain/audit-log"
import { type Command, claimKey } from "#domain/requests"
import { refuseInQuarantine } from "#server/ledger/index.ts"
import { newId } from "#server/lib/ids.ts"
import { clock } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import { fromBaseUnits, toBaseUnits } from "#shared/amount.ts"
import { fail } from "#shared/errors.ts"
import type { ReasonCode } from "#shared/movements.ts"
import { type ConfigRow, invalidAmount, loadConfigs, refuse, unknownConfig } from "../config.ts"
import { type Holdings, lockHoldings } from "../holder-facts.ts"
import { bindHolds } from "./bound-holds.ts"
import { findHold, getHold, type HoldRecord, toHoldRecord } from "./hold.ts"

export type Placing = Command & {
  wallet: Address
  mintConfig: string
  /** Whole tokens, as the caller wrote them. */
  amount: string
  reasonCode: ReasonCode
  reference: string
  expiresAt: Date | null
}

/**
 * Holds part of a wallet's balance, whatever the rules say about the wallet. Errors: unknown_mint_config,
 * invalid_amount, insufficient_balance, amount_held, validation_failed for the expiry, chain_unavailable in quarantine.
 */
export async function placeHold(placing: Placing): Promise<HoldRecord> {
  const { principal, requestId, idempotency, wallet, mintConfig, reasonCode, reference, expiresAt } = placing
  const { workspaceId } = principal
  if (idempotency?.begun) return getHold(principal, idempotency.begun)
  const now = clock.now()
  if (expiresAt !== null && expiresAt <= now) fail("validation_failed", "expires_at: must be in the future.")
  const record = await sql.begin(async (sql) => {
    const config = (await loadConfigs(sql, workspaceId, [mintConfig], { lock: true })).get(mintConfig)
    if (!config) return refuse(unknownConfig(mintConfig))
    const amount = toBaseUnits(placing.amount, config.decimals) ?? refuse(invalidAmount(config))
    await refuseInQuarantine(sql, workspaceId)
    if (config.transfer_mode === "holder") throw new Error("holds in holder mode are not supported")
    const holdings = await lockHoldings(sql, workspaceId, [{ config: mintConfig, wallet }])
    await requireAvailable(sql, workspaceId, { config, wallet, amount, holdings, now })
    const id = newId("hold")
    if (idempotency) await claimKey(sql, idempotency, id)
    holdings.of({ config: mintConfig, wallet }).held += amount
    await holdings.save(sql)
    await sql`
      insert into holds (workspace_id, id, mint_config, wallet, amount, remaining, state, reason_code, reference,
        expires_at, created_at)
      values (${workspaceId}, ${id}, ${mintConfig}, ${wallet}, ${String(amount)}, ${String(amount)}, 'active',
        ${reasonCode}, ${reference}, ${expiresAt}, ${now})`
    const row = await findHold(sql, workspaceId, id)
    const { user_pubkey, amount: whole, reason_code, expires_at } = toHoldRecord(row)
    const detail = { mint_config: mintConfig, wallet: user_pubkey, amount: whole, reason_code, reference, expires_at }
    await recordChange(sql, workspaceId, {
      author: { principal, requestId },
      action: "hold.created",
      subject: id,
      detail,
    })
    return toHoldRecord(row)
  })
  publishActivity(workspaceId)
  return record
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
