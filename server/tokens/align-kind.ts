import { PublicKey } from "@solana/web3.js"
import { type Issuer, type OperationKind, type Plan, registerKind } from "#server/ledger/kinds.ts"
import { freezeAsset, pauseAsset, resumeAsset, thawAsset } from "#server/solana/asset.ts"
import { operationMemo } from "#server/solana/memo.ts"
import { clock } from "#server/time.ts"
import {
  type AssetAccount,
  lookAtAccounts,
  placesOf,
  type SeenAccounts,
  stillHolds,
} from "./account-states.ts"
import { assetOf, type ConfigRow, configIdsOf, loadConfigs, ruledBy } from "./config.ts"
import { loadClaims, NOTHING } from "./parties.ts"
import { objectionToHolding, type Party } from "./rules.ts"

// What freezing and thawing answer for an account that does not exist (`solana/asset.test.ts`).
const ABSENT = "IncorrectProgramId"

/**
 * How an account should rest: open in holder mode while the wallet itself meets the rules, frozen in any other case.
 * A mint that cannot be paused is stopped by its accounts.
 */
function shouldBeOpen(config: ConfigRow, wallet: string, claims: Party["claims"]): boolean {
  if (config.transfer_mode === "agent") return false
  if (config.paused && !config.pausable) return false
  const to: Party = { wallet, claims, ...NOTHING }
  return (
    objectionToHolding({ amount: 0n, from: null, to, now: clock.now(), config: ruledBy(config) }) === null
  )
}

/** Freezes or thaws one wallet's account, by what holds when its turn comes. */
const alignAccount: OperationKind<SeenAccounts> = {
  look: lookAtAccounts,

  async plan(sql, operations, issuer, seen) {
    const { workspaceId } = issuer
    const configs = await loadConfigs(sql, workspaceId, configIdsOf(operations), { lock: false })
    const standings = operations.map(({ mint_config, wallet }) => ({
      schemaId: configs.get(mint_config!)!.required_schema,
      wallet: wallet!,
    }))
    const claims = await loadClaims(sql, workspaceId, standings, clock.now())
    const current = await stillHolds(sql, workspaceId, operations.flatMap(placesOf), seen)
    return new Map(
      operations.map((operation, i): [string, Plan] => {
        const config = configs.get(operation.mint_config!)!
        const account = current?.accountOf({ config: config.id, wallet: operation.wallet! })
        if (!account) return [operation.id, { do: "look" }]
        const open = shouldBeOpen(config, operation.wallet!, claims(standings[i]!))
        return [operation.id, planFor(issuer, config, operation, account, open)]
      }),
    )
  },
  settle: async () => {},
  judge: (error) => (error.name === ABSENT ? { verdict: "finish" } : { verdict: "retry" }),
}

function planFor(
  issuer: Issuer,
  config: ConfigRow,
  { id, wallet }: { id: string; wallet: string | null },
  { state }: AssetAccount,
  open: boolean,
): Plan {
  if (state === "absent" || (state === "thawed") === open) return { do: "finish" }
  const change = open ? thawAsset : freezeAsset
  const instructions = change(assetOf(issuer, config), new PublicKey(wallet!), operationMemo(id))
  return { do: "send", instructions, signers: [] }
}

/** Pauses or resumes a mint that can be paused, by what holds when its turn comes. */
const alignPause: OperationKind = {
  async plan(sql, operations, issuer) {
    const configs = await loadConfigs(sql, issuer.workspaceId, configIdsOf(operations), { lock: false })
    return new Map(
      operations.map(({ id, mint_config }): [string, Plan] => {
        const config = configs.get(mint_config!)!
        const change = config.paused ? pauseAsset : resumeAsset
        return [
          id,
          { do: "send", instructions: change(assetOf(issuer, config), operationMemo(id)), signers: [] },
        ]
      }),
    )
  },
  settle: async () => {},
  judge: () => ({ verdict: "retry" }),
}

registerKind("align_account", alignAccount)
registerKind("align_pause", alignPause)
