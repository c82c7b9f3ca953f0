import { z } from "zod"
import { deployment } from "#domain/deployment"
import { assetMintOf, assetMintPlace, mintEffects, recoverMintCreation } from "#domain/token-accounts"
import { defineOperation } from "#server/ledger/index.ts"
import { clock } from "#server/lib/time.ts"
import { createAssetMint as instructionsOf } from "#server/solana/asset.ts"
import { configIdsOf, planByConfig } from "../plan-by-config.ts"

export const createAssetMint = defineOperation({
  kind: "create_asset_mint",
  label: "Create token",
  isUrgent: false,
  payload: z.object({ mint_config: z.string() }),
  lookUp: null,

  plan: (sql, operations, issuer) =>
    planByConfig(sql, operations, issuer, ({ id, name, symbol, pausable }, asset, memoText) => {
      const { workspaceId, rentOf } = issuer
      const about = { place: assetMintPlace(workspaceId, id), id, name, symbol, pausable, memoText, rentOf }
      return { instructions: instructionsOf(asset, about), signers: [deployment.mintBase] }
    }),

  async settle(sql, settled, workspaceId) {
    await sql`
      update mint_configs set minted_at = ${clock.now()}
      where workspace_id = ${workspaceId} and id = any(${configIdsOf(settled)})`
  },

  settleAgain: null,
  release: null,
  memoId: ({ id }) => id,
  effects: (operations, at) =>
    mintEffects(
      operations.map(({ id, payload }) => ({ id, mint: assetMintOf(at.workspaceId, payload.mint_config) })),
      at,
    ),
  rebuild: null,
  recover: (error, _operation, instruction) => recoverMintCreation(error, instruction),
})
