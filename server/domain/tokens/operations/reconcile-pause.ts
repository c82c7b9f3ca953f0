import { z } from "zod"
import { defineOperation } from "#server/ledger/definition.ts"
import { pauseAsset, resumeAsset } from "#server/solana/asset.ts"
import { planByConfig } from "../config.ts"

/** Pauses or resumes a mint that can be paused, by what holds when its turn comes. */
export const reconcilePause = defineOperation({
  kind: "align_pause",
  label: "Pause or resume",
  payload: z.object({ mint_config: z.string() }),
  look: null,

  plan: (sql, operations, issuer) =>
    planByConfig(sql, operations, issuer, ({ paused }, asset, memoText) => ({
      instructions: (paused ? pauseAsset : resumeAsset)(asset, memoText),
      signers: [],
    })),

  settle: null,
  release: null,
  recover: () => ({ do: "retry" }),
})
