import { PublicKey } from "@solana/web3.js"
import { z } from "zod"
import { defineOperation, type Issuer, type Plan } from "#server/ledger/definition.ts"
import { clock } from "#server/lib/time.ts"
import { freezeAsset, thawAsset } from "#server/solana/asset.ts"
import { operationMemo } from "#server/solana/memo.ts"
import { firstViolationOfHolding } from "#shared/rules/check.ts"
import type { Holder } from "#shared/rules/define.ts"
import { type AssetAccount, holdersOf, lookAtAccounts, stillHolds } from "../account-states.ts"
import { assetOf, type ConfigRow, configIdsOf, loadConfigs } from "../config.ts"
import { loadClaims, NOTHING } from "../parties.ts"
import { rulesOf } from "../transfer-context.ts"

// What freezing and thawing answer for an account that does not exist (`solana/asset-answers.unit.test.ts`).
const ABSENT = "IncorrectProgramId"

/** Freezes or thaws one wallet's account, by what holds when its turn comes. */
export const reconcileAccount = defineOperation({
  kind: "align_account",
  label: "Freeze or unfreeze",
  payload: z.object({ mint_config: z.string(), wallet: z.string() }),
  look: lookAtAccounts,

  async plan(sql, operations, issuer, seen) {
    const { workspaceId } = issuer
    const configs = await loadConfigs(sql, workspaceId, configIdsOf(operations), { lock: false })
    const standings = operations.map(({ payload: { mint_config, wallet } }) => ({
      schemaId: configs.get(mint_config)!.required_schema,
      wallet,
    }))
    const claims = await loadClaims(sql, workspaceId, standings, clock.now())
    const current = await stillHolds(sql, workspaceId, operations.flatMap(holdersOf), seen)
    return new Map(
      operations.map(({ id, payload: { mint_config, wallet } }, i): [string, Plan] => {
        const config = configs.get(mint_config)!
        const account = current?.accountOf({ config: config.id, wallet })
        if (!account) return [id, { do: "look" }]
        const open = shouldBeOpen(config, wallet, claims(standings[i]!))
        return [id, planFor(issuer, { id, config, wallet, account, open })]
      }),
    )
  },

  settle: null,
  release: null,
  recover: (error) => (error.name === ABSENT ? { do: "finish" } : { do: "retry" }),
})

/**
 * How an account should rest: open in holder mode while the wallet itself meets the rules, frozen in any other case.
 * A mint that cannot be paused is stopped by its accounts.
 */
function shouldBeOpen(config: ConfigRow, wallet: string, claims: Holder["claims"]): boolean {
  if (config.transfer_mode === "agent") return false
  if (config.paused && !config.pausable) return false
  const to: Holder = { wallet, claims, ...NOTHING }
  const context = { amount: 0n, from: null, to, now: clock.now(), ...rulesOf(config) }
  return firstViolationOfHolding(context) === null
}

function planFor(
  issuer: Issuer,
  about: { id: string; config: ConfigRow; wallet: string; account: AssetAccount; open: boolean },
): Plan {
  const { id, config, wallet, account, open } = about
  if (account.state === "absent" || (account.state === "thawed") === open) return { do: "finish" }
  const change = open ? thawAsset : freezeAsset
  const instructions = change(assetOf(issuer, config), new PublicKey(wallet), operationMemo(id))
  return { do: "send", instructions, signers: [] }
}
