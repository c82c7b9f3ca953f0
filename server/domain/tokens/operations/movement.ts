import { z } from "zod"
import { type Queryable, background as sql } from "#db/client.ts"
import { loadFrozen, loadListed } from "#domain/screening"
import { type Ending, followMovements } from "#domain/token-investors"
import type { Carried, Effect, Issuer, Lookup, Operation, Plan, Refusal } from "#server/ledger/index.ts"
import { clock } from "#server/lib/time.ts"
import type { AccountState, Asset, Held, RestingState } from "#server/solana/asset.ts"
import type { Address } from "#shared/address.ts"
import type { BaseUnits } from "#shared/amount.ts"
import { type Between, isForced, type MovementKind } from "#shared/movements.ts"
import { firstViolationAtSigning } from "#shared/rules/check.ts"
import {
  accountStates,
  type ConfirmedAccounts,
  holdingKeysOf,
  lookUpToTake,
  type OfHolders,
  readAccounts,
  type SeenAccounts,
} from "../account-states.ts"
import { type ConfigRow, extensionsOf, isBeingReconciled, loadConfigs } from "../config.ts"
import { type Holding, loadStandings, lockHoldings, NOTHING, readHoldings } from "../holder-facts.ts"
import { heldOnChain } from "../holds/hold-accounts.ts"
import { FollowedLots } from "../lots/follow-lots.ts"
import type { LotMove } from "../lots/lot-book.ts"
import { lookUpPauses, type SeenPauses, stillPaused } from "../mint-pauses.ts"
import { assetOf, configIdsOf } from "../plan-by-config.ts"
import type { Posted } from "../postings/post.ts"
import { loadRecoveryRefusals } from "../recovery-checks.ts"
import { loadReopenings } from "../reopenings.ts"
import { transferContext } from "../transfer-context.ts"
import type { PassesPause, Recovers, TakenHolds } from "./forced.ts"
import { shouldBeOpen } from "./reconcile-account.ts"

// Shared by all kinds of movement.

/** Tokens that are about to be minted, moved or burned. `amount` is in base units. */
export type Movement = OfHolders & TakenHolds & PassesPause & Recovers & { amount: bigint }

/** The approval of a movement that a policy binds. */
export const approvedBy = { approval_id: z.string().optional() }

export type Build<M extends Movement> = (
  operation: Operation<M>,
  about: {
    asset: Asset
    config: ConfigRow
    /** The state of its wallets' accounts, before and after. */
    before: { to: AccountState; from: AccountState }
    after: { to: RestingState; from: RestingState }
    /** What it takes out of hold accounts. */
    held: readonly Held[]
    /** Whether the mint is paused on chain, and the operation passes that. */
    isPaused: boolean
  },
) => Plan

/** What a kind that takes tokens reads: its accounts, and whether the mint is paused if it passes that. */
export type SeenToTake = ConfirmedAccounts & { pauses: SeenPauses | null }

export async function lookUpTaking(
  operations: readonly Operation<OfHolders & PassesPause>[],
  at: Lookup,
): Promise<SeenToTake> {
  const pauses = await lookUpPauses(operations, at)
  return { ...(await lookUpToTake(operations, at)), pauses }
}

/** What was read of the accounts. A kind that takes tokens also reads whether the sender's is surely absent. */
type Seen = SeenAccounts & Partial<Pick<SeenToTake, "isSure" | "pauses">>

export async function planMovements<M extends Movement>(
  sql: Queryable,
  operations: Operation<M>[],
  { kind, issuer, seen, build }: { kind: MovementKind; issuer: Issuer; seen: Seen | null; build: Build<M> },
): Promise<Map<string, Plan>> {
  const now = clock.now()
  const { workspaceId } = issuer
  const configs = await loadConfigs(sql, workspaceId, configIdsOf(operations), { lock: false })
  const configOf = ({ payload }: Operation<M>) => configs.get(payload.mint_config)!
  const wallets = operations.flatMap((operation) =>
    holdingKeysOf(operation).map(({ wallet }) => ({ schemaId: configOf(operation).required_schema, wallet })),
  )
  const addresses = wallets.map(({ wallet }) => wallet)
  const [standings, isListed, states, frozen] = await Promise.all([
    loadStandings(sql, workspaceId, wallets, now),
    loadListed(sql, workspaceId, addresses),
    accountStates(sql, workspaceId, operations, { configOf, seen }),
    isForced(kind) ? loadFrozen(sql, workspaceId, addresses, now) : null,
  ])
  const pauses = await stillPaused(sql, workspaceId, operations, seen?.pauses ?? null)
  const heldOf = await heldOnChain(sql, workspaceId, operations)
  const refusalOf = await loadRecoveryRefusals(sql, workspaceId, operations)
  const reopenings = await loadReopenings(
    sql,
    workspaceId,
    operations.flatMap(({ id, payload: { mint_config: config, wallet } }) =>
      wallet !== undefined && states({ config, wallet }) === "absent" ? { id, config, wallet } : [],
    ),
  )
  const plan = (operation: Operation<M>): Plan => {
    const { id, payload, redo } = operation
    const config = configOf(operation)
    const { wallet: to = null, from_wallet: from = null, amount, while_paused: whilePaused } = payload
    const movement = { kind, from, to } as Between<Address>
    const request = { config, amount, now, whilePaused, isRecovery: payload.recovery_id !== undefined }
    const context = transferContext(request, movement, standings, () => NOTHING, isListed)
    const violation = refusalOf(operation) ?? firstViolationAtSigning(context)
    if (violation && !redo) return { do: "fail", refusal: violation }
    const stateOf = (wallet: Address | null) =>
      wallet === null ? ("absent" as const) : states({ config: config.id, wallet })
    const before = { to: stateOf(to), from: stateOf(from) }
    const isPaused = whilePaused && extensionsOf(config).includes("pausable") ? pauses?.get(config.id) : false
    if (before.to === null || before.from === null || isPaused === undefined) return { do: "look up" }
    if (isPaused === null) return { do: "defer" }
    const held = heldOf(operation)
    const takesFree = held.reduce((left, one) => left - one.amount, amount) > 0n
    // A single read is not enough to conclude that the account has nothing to take.
    if (from !== null && takesFree && config.transfer_mode === "holder" && before.from === "absent")
      return seen?.isSure?.({ id }) ? { do: "fail", refusal: uncovered(from) } : { do: "defer" }
    const reopening = reopenings(id)
    if (reopening) return reopening
    // The wallets of a mint or a transfer were just found verified, which keeps an account open in holder mode. A redone
    // one may go to a wallet that has since lost its verification.
    const isOpen = (wallet: Address) =>
      frozen === null ? violation === null : !frozen.has(wallet) && shouldBeOpen(config, wallet, standings)
    const after = (wallet: Address | null): RestingState =>
      config.transfer_mode === "holder" && wallet !== null && isOpen(wallet) ? "thawed" : "frozen"
    return build(operation, {
      asset: assetOf(issuer, config),
      config,
      before: { to: before.to, from: before.from },
      after: { to: after(to), from: after(from) },
      held,
      isPaused,
    })
  }
  return new Map(operations.map((operation) => [operation.id, plan(operation)]))
}

/**
 * Whether accounts show the effect of movements, as of a finalized slot. That is clear only while no one but Vouch
 * moves tokens: a balance that differs from the books is then the effect.
 */
export async function movementEffects<M extends Movement>(
  operations: readonly Operation<M>[],
  { workspaceId, chain, slot }: Lookup & { slot: number },
): Promise<Map<string, Effect>> {
  const configs = await loadConfigs(sql, workspaceId, configIdsOf(operations), { lock: false })
  const keys = operations.flatMap(holdingKeysOf)
  const options = { since: slot, commitment: "finalized" } as const
  const { accountOf } = await readAccounts({ workspaceId, rpc: chain.rpc }, keys, options)
  const holdingOf = await readHoldings(sql, workspaceId, keys)
  const effectOf = ({ payload }: Operation<M>): Effect => {
    const config = configs.get(payload.mint_config)!
    if (config.transfer_mode !== "agent" || isBeingReconciled(config)) return "unclear"
    const isUnchanged = holdingKeysOf({ payload }).every((key) => accountOf(key)?.amount === holdingOf(key).balance)
    return isUnchanged ? "absent" : "there"
  }
  return new Map(operations.map((operation) => [operation.id, effectOf(operation)]))
}

export type Change<M> = (payload: M, config: ConfigRow, holdingOf: (wallet: Address) => Holding) => void

/** Changes counters and holdings under their locks, taken in the same order as in a reservation. */
export async function withCounters<M extends Movement>(
  sql: Queryable,
  workspaceId: string,
  operations: readonly (Posted & { payload: M })[],
  change: Change<M>,
  /** Operations that ended and took the slot of an investor with them. */
  { ending, handed }: { ending: Ending | null; handed: readonly { config: string; operationId: string }[] } = {
    ending: null,
    handed: [],
  },
  /** What the change moves, which lots follow. */
  moves: readonly LotMove[] = [],
): Promise<void> {
  const lots = new FollowedLots(workspaceId, moves)
  // Sent together, executed in this order.
  const [configs, holdings] = await Promise.all([
    loadConfigs(sql, workspaceId, configIdsOf(operations), { lock: true }),
    lockHoldings(sql, workspaceId, operations.flatMap(holdingKeysOf)),
    lots.load(sql),
  ])
  const counting = [...configs.values()].filter(({ investors }) => investors !== null)
  const held = holdings.all.flatMap((one) => {
    return configs.get(one.config)!.investors === null ? [] : [{ held: one, before: one.balance + one.incoming }]
  })
  for (const operation of operations) {
    const { payload } = operation
    const config = configs.get(payload.mint_config)!
    holdings.post(operation, holdingKeysOf(operation), () =>
      change(payload, config, (wallet) => holdings.of({ config: config.id, wallet })),
    )
  }
  if (counting.length > 0) await followMovements(sql, workspaceId, { configs: counting, held, handed, ending })
  const saveCounters = async ({ id, issued, supply, holders, investors }: ConfigRow) => {
    await sql`
      update mint_configs set issued = ${issued}, supply = ${supply}, holders = ${holders},
        investors = ${investors && sql.json(investors)}
      where workspace_id = ${workspaceId} and id = ${id}`
  }
  await Promise.all([lots.save(sql, holdings.all), holdings.save(sql), ...[...configs.values()].map(saveCounters)])
}

/** What a transaction moved for one operation; null if the chain does not show it. */
export const totalOf = ({ amount, more }: Pick<Carried, "amount" | "more">): BaseUnits | null =>
  amount === null ? null : (more.reduce((sum, one) => sum + one.amount, amount as bigint) as BaseUnits)

/** Adds to a count of base units that is stored as text. */
export const plus = (count: string, amount: bigint): string => (BigInt(count) + amount).toString()

/** Reserves what a wallet is about to get, regardless of limits, because it is on chain already. */
export function expectUnits(to: Holding, config: ConfigRow, amount: bigint): void {
  to.incoming += amount
  if (to.hasSlot) return
  to.hasSlot = true
  config.holders += 1
}

/** What is on its way to a wallet has arrived. */
export function arrive(to: Holding, amount: bigint): void {
  to.incoming -= amount
  to.balance += amount
}

/** What is on its way from a wallet has left. */
export function depart(from: Holding, amount: bigint): void {
  from.outgoing -= amount
  from.balance -= amount
}

export function leaveIfEmpty(holding: Holding, config: ConfigRow): void {
  if (!holding.hasSlot || holding.balance > 0n || holding.incoming > 0n) return
  holding.hasSlot = false
  config.holders -= 1
}

export const uncovered = (wallet: Address): Refusal => ({
  code: "insufficient_balance",
  detail: `amount: more than the balance of ${wallet}. Send less.`,
})
