import { z } from "zod"
import { defineOperation, send, unclearEffects } from "#server/ledger/index.ts"
import { pauseAsset, resumeAsset } from "#server/solana/asset.ts"
import { planByConfig } from "../plan-by-config.ts"

/** Pauses or resumes a mint that can be paused, by the settings in force when it runs. */
export const reconcilePause = defineOperation({
  // Stored in rows, so it keeps its first name.
  kind: "align_pause",
  label: "Pause or resume",
  isUrgent: true,
  payload: z.object({ mint_config: z.string() }),
  lookUp: null,

  plan: (sql, operations, issuer) =>
    planByConfig(sql, operations, issuer, (_operation, { config, asset, memoText }) =>
      send((config.paused ? pauseAsset : resumeAsset)(asset, memoText)),
    ),

  settle: null,
  settleAgain: null,
  release: null,
  memoId: ({ id }) => id,
  effects: unclearEffects,
  rebuild: null,
  attach: null,
  recover: () => ({ do: "retry" }),
})
