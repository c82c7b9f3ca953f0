import { background, type Queryable } from "#db/client.ts"
import { loadFrozen } from "#domain/screening"
import type { Effect, Issuer, Lookup, Operation, Plan, Refusal } from "#server/ledger/index.ts"
import { isId } from "#server/lib/ids.ts"
import { clock } from "#server/lib/time.ts"
import type { AccountState, Asset, RestingState } from "#server/solana/asset.ts"
import { operationMemo } from "#server/solana/memo.ts"
import { type ConfirmedAccounts, holdingKeysOf, lookUpToTake, type OfHolders, stillHolds } from "../account-states.ts"
import { type ConfigRow, loadConfigs } from "../config.ts"
import { type HoldingKey, loadStandings } from "../holder-facts.ts"
import { type HoldAccount, readHeldOnChain, readHoldAccounts } from "../holds/hold-accounts.ts"
import { assetOf, configIdsOf } from "../plan-by-config.ts"
import { rulesOf } from "../transfer-context.ts"
import { shouldBeOpen } from "./reconcile-account.ts"

// What placing and releasing a hold have in common: an amount moves between a wallet's two accounts.

/** Either end is the wallet's main account: `from_wallet` for a hold, `wallet` otherwise. */
export type OfHold = OfHolders & { amount: bigint; hold_id: string }

/** A wallet's main account and its hold account. */
export type SeenHolds = ConfirmedAccounts & { holdOf: (key: HoldingKey) => HoldAccount }

export const keyOf = (operation: { payload: OfHold }): HoldingKey => holdingKeysOf(operation)[0]!

export async function lookUpHolds(operations: readonly Operation<OfHold>[], at: Lookup): Promise<SeenHolds> {
  const { workspaceId, chain } = at
  const main = await lookUpToTake(operations, at)
  const holdOf = await readHoldAccounts({ workspaceId, rpc: chain.rpc }, operations.map(keyOf), { since: main.slot })
  return { ...main, holdOf }
}

type Build = (
  operation: Operation<OfHold>,
  about: {
    config: ConfigRow
    asset: Asset
    hold: HoldAccount
    before: AccountState
    after: RestingState
    isSure: boolean
  },
) => Plan

/** Its plan if the books alone decide it, and null if it is to be sent. */
type Decide = (operation: Operation<OfHold>, config: ConfigRow) => Plan | null

/** A paused token moves nothing, unless that has happened before. */
export const failIfPaused: Decide = ({ redo }, config) => {
  const refusal = redo ? null : refusalOfPaused(config)
  return refusal && { do: "fail", refusal }
}

/** Plans movements between a wallet's accounts. What the rules say about the wallet does not matter, except a pause. */
export async function planHolds(
  sql: Queryable,
  operations: Operation<OfHold>[],
  { issuer, seen, decide, build }: { issuer: Issuer; seen: SeenHolds | null; decide: Decide; build: Build },
): Promise<Map<string, Plan>> {
  const { workspaceId } = issuer
  const now = clock.now()
  const configs = await loadConfigs(sql, workspaceId, configIdsOf(operations), { lock: false })
  const wallets = operations.map(keyOf).map(({ config, wallet }) => {
    return { schemaId: configs.get(config)!.required_schema, wallet }
  })
  const addresses = wallets.map(({ wallet }) => wallet)
  const standings = await loadStandings(sql, workspaceId, wallets, now)
  const frozen = await loadFrozen(sql, workspaceId, addresses, now)
  const current = await stillHolds(sql, workspaceId, operations.map(keyOf), seen)
  const plan = (operation: Operation<OfHold>): Plan => {
    const key = keyOf(operation)
    const config = configs.get(key.config)!
    const decided = decide(operation, config)
    if (decided !== null) return decided
    const main = current?.accountOf(key)
    if (!main) return { do: "look up" }
    const isOpen = !frozen.has(key.wallet) && shouldBeOpen(config, key.wallet, standings)
    return build(operation, {
      config,
      asset: assetOf(issuer, config),
      hold: seen!.holdOf(key),
      before: main.state,
      after: isOpen ? "thawed" : "frozen",
      isSure: seen!.isSure(operation),
    })
  }
  return new Map(operations.map((operation) => [operation.id, plan(operation)]))
}

/** A mint that is paused on chain moves nothing, not even between two accounts of a wallet. */
export function refusalOfPaused(row: ConfigRow): Refusal | null {
  const { paused, isCounting } = rulesOf(row).config
  return paused || isCounting
    ? { code: "mint_paused", detail: "The token is paused. Unpause it or wait until it is unpaused." }
    : null
}

/**
 * Whether hold accounts show the effects of operations. Only Vouch moves what is in one, so it differs from the books by
 * what an operation moved.
 */
export async function holdEffects(
  operations: readonly Operation<OfHold>[],
  { workspaceId, chain, slot }: Lookup & { slot: number },
  moved: (operation: Operation<OfHold>) => bigint,
): Promise<Map<string, Effect>> {
  const options = { since: slot, commitment: "finalized" } as const
  const holdOf = await readHoldAccounts({ workspaceId, rpc: chain.rpc }, operations.map(keyOf), options)
  const accounts = operations.map((operation) => holdOf(keyOf(operation)).account)
  const heldIn = await readHeldOnChain(background, workspaceId, accounts)
  const effectOf = (operation: Operation<OfHold>): Effect => {
    const { account, amount } = holdOf(keyOf(operation))
    const more = (amount ?? 0n) - heldIn(account)
    return more === 0n ? "absent" : more === moved(operation) ? "there" : "unclear"
  }
  return new Map(operations.map((operation) => [operation.id, effectOf(operation)]))
}

/** The hold that the memo of an operation names; null if it is not such a memo. */
export function holdIn(memo: string, id: string, mark: "hold" | "release" | "carry" | "recover"): string | null {
  const holdId = memo.split(":").at(-1)!
  return isId("hold", holdId) && memo === operationMemo(id, `${mark}:${holdId}`) ? holdId : null
}
