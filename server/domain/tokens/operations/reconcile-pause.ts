import { z } from "zod"
import { defineOperation, type Plan } from "#server/ledger/definition.ts"
import { pauseAsset, resumeAsset } from "#server/solana/asset.ts"
import { operationMemo } from "#server/solana/memo.ts"
import { assetOf, configIdsOf, loadConfigs } from "../config.ts"

/** Pauses or resumes a mint that can be paused, by what holds when its turn comes. */
export const reconcilePause = defineOperation({
  kind: "align_pause",
  label: "Pause or resume",
  payload: z.object({ mint_config: z.string() }),
  look: null,

  async plan(sql, operations, issuer) {
    const configs = await loadConfigs(sql, issuer.workspaceId, configIdsOf(operations), { lock: false })
    return new Map(
      operations.map(({ id, payload }): [string, Plan] => {
        const config = configs.get(payload.mint_config)!
        const change = config.paused ? pauseAsset : resumeAsset
        const instructions = change(assetOf(issuer, config), operationMemo(id))
        return [id, { do: "send", instructions, signers: [] }]
      }),
    )
  },

  settle: null,
  release: null,
  recover: () => ({ do: "retry" }),
})
