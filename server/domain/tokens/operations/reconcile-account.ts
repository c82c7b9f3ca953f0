import { loadFrozen } from "#domain/screening"
import { reconciliation } from "#domain/token-accounts"
import { defineOperation, type Plan, send, unclearEffects } from "#server/ledger/index.ts"
import { clock } from "#server/lib/time.ts"
import { publicKeyOf } from "#server/solana/addresses.ts"
import { freezeAsset, thawAsset } from "#server/solana/asset.ts"
import { operationMemo } from "#server/solana/memo.ts"
import type { Address } from "#shared/address.ts"
import { firstViolationOfHolding } from "#shared/rules/check.ts"
import type { Holder } from "#shared/rules/define.ts"
import { type ConfirmedFrozen, holdingKeysOf, lookUpToFreeze, stillHolds } from "../account-states.ts"
import { configOfMint } from "../asset-mint.ts"
import { type ConfigRow, extensionsOf, loadConfigs } from "../config.ts"
import { loadStandings, NOTHING, type Standings } from "../holder-facts.ts"
import { repairMode } from "../holds/repair-mode.ts"
import { assetOf, configIdsOf } from "../plan-by-config.ts"
import { rulesOf } from "../transfer-context.ts"

// The errors of freezing and thawing an account that does not exist (`solana/asset-answers.unit.test.ts`).
const ABSENT = "IncorrectProgramId"

/** Freezes or thaws one wallet's account, by the rules in force when it runs. */
export const reconcileAccount = defineOperation({
  ...reconciliation,
  label: "Freeze or unfreeze",
  lookUp: lookUpToFreeze,

  async plan(sql, operations, issuer, seen: ConfirmedFrozen | null) {
    const { workspaceId } = issuer
    const configs = await loadConfigs(sql, workspaceId, configIdsOf(operations), { lock: false })
    const wallets = operations.map(({ payload: { mint_config, wallet } }) => ({
      schemaId: configs.get(mint_config)!.required_schema,
      wallet,
    }))
    const addresses = wallets.map(({ wallet }) => wallet)
    const standings = await loadStandings(sql, workspaceId, wallets, clock.now())
    const frozen = await loadFrozen(sql, workspaceId, addresses, clock.now())
    const current = await stillHolds(sql, workspaceId, operations.flatMap(holdingKeysOf), seen)
    return new Map(
      operations.map(({ id, attempts, payload: { mint_config, wallet } }): [string, Plan] => {
        const config = configs.get(mint_config)!
        const account = current?.accountOf({ config: config.id, wallet })
        if (!account) return [id, { do: "look up" }]
        const open = !frozen.has(wallet) && shouldBeOpen(config, wallet, standings)
        const isSure = seen!.isSure({ id })
        // If a node contradicts what landed, the chain decides: freezing a frozen account fails there.
        const isContested = !open && isSure && attempts === 0 && seen!.isContested({ id })
        const isDone = account.state === "absent" || (account.state === "thawed") === open
        if (isDone && !isContested) return [id, { do: open || isSure ? "finish" : "defer" }]
        const instructionsOf = open ? thawAsset : freezeAsset
        return [id, send(instructionsOf(assetOf(issuer, config), publicKeyOf(wallet), operationMemo(id)))]
      }),
    )
  },

  settle: null,
  settleAgain: null,
  release: null,
  memoId: ({ id }) => id,
  effects: unclearEffects,

  /** Moves nothing. But in agent mode no account is open, so one that was opened shows that a change of mode is lost. */
  async rebuild(sql, { instruction, accounts: [, mint] }, { workspaceId, landedAt }) {
    if (instruction !== "ThawAccount") return null
    const config = await configOfMint(sql, workspaceId, mint!)
    if (config !== null) await repairMode(sql, workspaceId, config, { place: "account", landedAt })
    return null
  },

  attach: null,
  recover: (error) => (error.name === ABSENT ? { do: "finish" } : { do: "retry" }),
})

/**
 * The state in which an account should rest: open in holder mode while the wallet itself meets the rules, otherwise
 * frozen. If a mint cannot be paused, its accounts are frozen instead.
 */
export function shouldBeOpen(config: ConfigRow, wallet: Address, standings: Standings): boolean {
  if (config.transfer_mode === "agent") return false
  if (config.paused && !extensionsOf(config).includes("pausable")) return false
  return lossOfHolding(config, wallet, standings, clock.now()) === null
}

/** The rule because of which a wallet may not hold a token, and how it violates it. */
export function lossOfHolding(
  config: ConfigRow,
  wallet: Address,
  { claims, isFrozen, isBarred }: Standings,
  now: Date,
) {
  const to: Holder = {
    wallet,
    claims: claims({ schemaId: config.required_schema, wallet }),
    isFrozen: isFrozen({ config: config.id, wallet }),
    isBarred: isBarred(wallet),
    ...NOTHING,
  }
  return firstViolationOfHolding({ amount: 0n, kind: "mint", from: null, to, now, ...rulesOf(config) })
}
