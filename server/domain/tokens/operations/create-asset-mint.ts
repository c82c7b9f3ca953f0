import { z } from "zod"
import { defineOperation, type Plan } from "#server/ledger/definition.ts"
import { recoverMintCreation } from "#server/ledger/mint-creation.ts"
import { clock } from "#server/lib/time.ts"
import { createAssetMint as instructionsOf } from "#server/solana/asset.ts"
import { operationMemo } from "#server/solana/memo.ts"
import { assetMintKey } from "../asset-accounts.ts"
import { assetOf, configIdsOf, loadConfigs } from "../config.ts"

/** Creates a configuration's asset mint. */
export const createAssetMint = defineOperation({
  kind: "create_asset_mint",
  label: "Create token",
  payload: z.object({ mint_config: z.string() }),
  look: null,

  async plan(sql, operations, issuer) {
    const configs = await loadConfigs(sql, issuer.workspaceId, configIdsOf(operations), { lock: false })
    return new Map(
      operations.map(({ id, payload }): [string, Plan] => {
        const config = configs.get(payload.mint_config)!
        const instructions = instructionsOf(assetOf(issuer, config), {
          id: config.id,
          name: config.name,
          symbol: config.symbol,
          pausable: config.pausable,
          memoText: operationMemo(id),
          rentOf: issuer.rentOf,
        })
        return [id, { do: "send", instructions, signers: [assetMintKey(issuer.workspaceId, config.id)] }]
      }),
    )
  },

  async settle(sql, settled, workspaceId) {
    await sql`
      update mint_configs set minted_at = ${clock.now()}
      where workspace_id = ${workspaceId} and id = any(${configIdsOf(settled.map((one) => one.operation))})`
  },

  release: null,
  recover: (error, _operation, instruction) => recoverMintCreation(error, instruction),
})
