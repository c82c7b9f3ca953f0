import type { Queryable } from "#db/client.ts"
import type { Issuer, Plan } from "#server/ledger/definition.ts"
import type { Operation, Refusal } from "#server/ledger/operation.ts"
import { clock } from "#server/lib/time.ts"
import type { AccountState, Asset, RestingState } from "#server/solana/asset.ts"
import { firstViolationAtSigning } from "#shared/rules/check.ts"
import { accountStates, holdersOf, type SeenAccounts } from "../account-states.ts"
import { assetOf, type ConfigRow, configIdsOf, loadConfigs } from "../config.ts"
import { type Holding, type Holdings, loadClaims, lockHoldings, NOTHING } from "../parties.ts"
import { transferContext } from "../transfer-context.ts"

// What a mint and a transfer share.

/** Tokens that are about to appear at a wallet, or to go from one to another. `amount` is in base units. */
export type Movement = { mint_config: string; wallet: string; from_wallet?: string; amount: bigint }

/** How one is built, once it is known that it may be. */
export type Build<M extends Movement> = (
  operation: Operation<M>,
  about: {
    asset: Asset
    config: ConfigRow
    /** The state of its wallets' accounts, before and after. */
    before: { to: AccountState; from: AccountState }
    after: RestingState
  },
) => Plan

/** Plans movements between wallets that the rules admit. */
export async function planMovements<M extends Movement>(
  sql: Queryable,
  operations: Operation<M>[],
  { issuer, seen, build }: { issuer: Issuer; seen: SeenAccounts | null; build: Build<M> },
): Promise<Map<string, Plan>> {
  const now = clock.now()
  const { workspaceId } = issuer
  const configs = await loadConfigs(sql, workspaceId, configIdsOf(operations), { lock: false })
  const configOf = ({ payload }: Operation<M>) => configs.get(payload.mint_config)!
  const standings = operations.flatMap((operation) =>
    holdersOf(operation).map(({ wallet }) => ({ schemaId: configOf(operation).required_schema, wallet })),
  )
  const claims = await loadClaims(sql, workspaceId, standings, now)
  const states = await accountStates(sql, workspaceId, { operations, configOf, seen })
  const plan = (operation: Operation<M>): Plan => {
    const config = configOf(operation)
    const { wallet: to, from_wallet: from = null, amount } = operation.payload
    const context = transferContext({ config, from, to, amount, now }, claims, () => NOTHING)
    const violation = firstViolationAtSigning(context)
    if (violation) return { do: "fail", refusal: violation }
    const stateOf = (wallet: string) => states({ config: config.id, wallet })
    const before = { to: stateOf(to), from: from === null ? ("absent" as const) : stateOf(from) }
    if (before.to === null || before.from === null) return { do: "look" }
    return build(operation, {
      asset: assetOf(issuer, config),
      config,
      before: { to: before.to, from: before.from },
      // Both sides have just been found verified: in holder mode that is what keeps an account open.
      after: config.transfer_mode === "agent" ? "frozen" : "thawed",
    })
  }
  return new Map(operations.map((operation) => [operation.id, plan(operation)]))
}

/** Changes counters and holdings under their locks, which are taken in the order that a reservation takes them in. */
export async function withCounters<M extends Movement>(
  sql: Queryable,
  workspaceId: string,
  operations: readonly Operation<M>[],
  change: (payload: M, config: ConfigRow, holdingOf: (wallet: string) => Holding) => void,
): Promise<void> {
  const configs = await loadConfigs(sql, workspaceId, configIdsOf(operations), { lock: true })
  const holdings: Holdings = await lockHoldings(sql, workspaceId, operations.flatMap(holdersOf))
  for (const { payload } of operations) {
    const config = configs.get(payload.mint_config)!
    change(payload, config, (wallet) => holdings.of({ config: config.id, wallet }))
  }
  await holdings.save(sql)
  for (const config of configs.values()) {
    await sql`
      update mint_configs set issued = ${config.issued}, supply = ${config.supply}, holders = ${config.holders}
      where workspace_id = ${workspaceId} and id = ${config.id}`
  }
}

/** Adds to a count of base units that is kept as text. */
export const plus = (count: string, amount: bigint): string => (BigInt(count) + amount).toString()

export function leaveIfEmpty(holding: Holding, config: ConfigRow): void {
  if (!holding.counted || holding.balance > 0n || holding.incoming > 0n) return
  holding.counted = false
  config.holders -= 1
}

export const uncovered = (wallet: string): Refusal => ({
  code: "insufficient_balance",
  detail: `amount: more than the balance of ${wallet}. Transfer less.`,
})
