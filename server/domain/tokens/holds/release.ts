import { type Queryable, sql, type Transaction } from "#db/client.ts"
import { publishActivity } from "#db/pubsub.ts"
import { type ApprovalRow, type Decided, findApproval, type Replay, stateOf, underPolicy } from "#domain/approvals"
import { recordChange } from "#domain/audit-log"
import { type Command, claimKey, type Principal } from "#domain/requests"
import { refuseInQuarantine, whileWaiting } from "#server/ledger/index.ts"
import { isId } from "#server/lib/ids.ts"
import { clock } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import { fromBaseUnits } from "#shared/amount.ts"
import { fail } from "#shared/errors.ts"
import { loadConfigs } from "../config.ts"
import { lockHoldings } from "../holder-facts.ts"
import { throwIfRefused } from "../operation.ts"
import { refusalOfPaused } from "../operations/held-account.ts"
import { beginRelease, outcomeOf } from "./begin.ts"
import { bindHolds } from "./bound-holds.ts"
import { findHold, getHold, type HoldRelease, isOnChain } from "./hold.ts"
import { whyEnded } from "./named-holds.ts"

type Releasing = Command & { holdId: string; respondAsync: boolean; replay?: Replay }
type Released = { record: HoldRelease; isFinal: boolean }

/**
 * Releases what a hold still holds, so that it is available again. In holder mode an operation moves it back. It may need
 * approval. Errors: hold_not_found, hold_ended, mint_paused, account_reopening_limit, approver_missing,
 * approval_rejected, approval_ended, chain_unavailable in quarantine.
 */
export const releaseHold = (command: Releasing): Promise<Released> =>
  command.respondAsync ? begin(command) : whileWaiting(command.principal.workspaceId, () => begin(command))

async function begin(command: Releasing): Promise<Released> {
  const { principal, idempotency, holdId, respondAsync } = command
  const joined = idempotency?.begun ?? null
  const approval =
    joined !== null && isId("apr", joined) ? await findApproval(sql, principal.workspaceId, joined) : null
  const decided = joined === null ? await end(command) : await endedBy(principal, holdId, approval)
  if ("waits" in decided || "taken" in decided) {
    const approvalId = "waits" in decided ? decided.waits.id : command.replay!.approving.approvalId
    const record = await getHold(principal, holdId)
    return { record: { ...record, status: "awaiting_approval", approval_id: approvalId }, isFinal: false }
  }
  const { record, ...outcome } = await outcomeOf(principal, { holdId, operationId: decided.done, respondAsync })
  const approvalId = command.replay?.approving.approvalId ?? approval?.id ?? null
  return { record: { ...record, status: outcome.status, approval_id: approvalId }, isFinal: outcome.isFinal }
}

/** What a repeated request has come to: it waits, or the operation that releases the hold, null if none does. */
async function endedBy(
  { workspaceId }: Principal,
  holdId: string,
  approval: ApprovalRow | null,
): Promise<Decided<string | null>> {
  const state = approval && stateOf(approval)
  if (approval && state === "pending") return { waits: approval }
  if (approval && (state !== "approved" || "error" in (approval.outcome ?? {}))) throwIfRefused(approval)
  const hold = await findHold(sql, workspaceId, holdId)
  return { done: hold.state === "active" && isOnChain(hold) ? hold.operation_id : null }
}

/** Ends a hold. Returns the operation that does it in holder mode. Errors: hold_ended, mint_paused. */
async function end(command: Releasing): Promise<Decided<string | null>> {
  const { principal, requestId, idempotency, holdId, replay } = command
  const { workspaceId } = principal
  const author = { principal, requestId }
  const decided = await sql.begin(async (sql) => {
    const { mint_config, wallet, decimals } = await findHold(sql, workspaceId, holdId)
    const configs = await loadConfigs(sql, workspaceId, [mint_config], { lock: true })
    await refuseInQuarantine(sql, workspaceId)
    const { holds, hold, holding, save } = await lockHold(sql, workspaceId, { id: holdId, mint_config, wallet })
    const ended = whyEnded(hold)
    if (ended !== null) fail("hold_ended", ended)
    const endsOnChain = isOnChain(hold)
    const requireMovable = () => {
      const paused = endsOnChain ? refusalOfPaused(configs.get(mint_config)!) : null
      if (paused) fail("mint_paused", paused.detail)
    }
    // No member needs to decide about what is refused anyway.
    if (!replay) requireMovable()
    const amount = fromBaseUnits(hold.remaining, decimals)
    const release = async (sql: Transaction): Promise<string | null> => {
      requireMovable()
      if (idempotency) await claimKey(sql, idempotency, holdId)
      const about = { hold, holds, holding, endsAs: "released" } as const
      const operationId = endsOnChain ? await beginRelease(sql, workspaceId, about) : null
      if (!endsOnChain) holds.end(hold, "released", clock.now(), holding)
      await save(sql)
      const detail = { mint_config, wallet, amount }
      await recordChange(sql, workspaceId, { author, action: "hold.released", subject: holdId, detail })
      return operationId
    }
    const request = { hold_id: holdId, user_pubkey: wallet, mint_config, amount }
    // If a part is taken while it waits, the members decide again.
    const about = { subject: holdId, request, mint_config, amount, rules: amount }
    const bound = { action: "hold_release", ...about, author, idempotency, replay } as const
    return underPolicy(sql, workspaceId, { ...bound, operationOf: (id) => id }, release)
  })
  publishActivity(workspaceId)
  return decided
}

/** A hold in memory, with its holding locked, and what saves both. */
async function lockHold(
  sql: Queryable,
  workspaceId: string,
  { id, mint_config, wallet }: { id: string; mint_config: string; wallet: Address },
) {
  const key = { config: mint_config, wallet }
  const holdings = await lockHoldings(sql, workspaceId, [key])
  const holding = holdings.of(key)
  const holds = await bindHolds(sql, workspaceId, {
    keys: [key],
    named: [id],
    holdingOf: () => holding,
    now: clock.now(),
  })
  return {
    holds,
    hold: holds.get(id)!,
    holding,
    async save(sql: Queryable) {
      await holds.save(sql, workspaceId)
      await holdings.save(sql)
    },
  }
}
