import { z } from "zod"
import { assetMintOf, authorityMove, planMoves, type SeenAuthorities } from "#domain/token-accounts"
import { defineOperation, type Operation } from "#server/ledger/index.ts"
import { storedAddress } from "#server/lib/fields.ts"
import { extensionsOf, loadConfigs } from "../config.ts"
import { configIdsOf } from "../plan-by-config.ts"

const payload = z.object({ mint_config: z.string(), to: storedAddress })

const mintOf = ({ workspaceId, payload: { mint_config } }: Operation<z.output<typeof payload>>) =>
  assetMintOf(workspaceId, mint_config)

/** Moves a configuration's asset mint to another key of the workspace. */
export const moveAssetAuthority = defineOperation({
  ...authorityMove(mintOf),
  kind: "move_asset_authority",
  label: "Move token to another key",
  payload,

  async plan(sql, operations, issuer, seen: SeenAuthorities | null) {
    const configs = await loadConfigs(sql, issuer.workspaceId, configIdsOf(operations), { lock: false })
    const known = ({ mint_config }: z.output<typeof payload>) => {
      const config = configs.get(mint_config)!
      return { authority: config.authority, extensions: extensionsOf(config) }
    }
    return planMoves(operations, { issuer, seen, mintOf, known })
  },

  async settle(sql, settled, workspaceId) {
    for (const { payload } of settled)
      await sql`
        update mint_configs set authority = ${payload.to}
        where workspace_id = ${workspaceId} and id = ${payload.mint_config}`
  },
})
