import { z } from "zod"
import { planByConfig } from "#domain/tokens"
import { defineOperation, send, unclearEffects } from "#server/ledger/index.ts"
import { memo, snapshotMemo } from "#server/solana/memo.ts"

/** Puts the hash of a snapshot on chain, in a memo that the token's authority signs. */
export const anchor = defineOperation({
  kind: "anchor",
  label: "Anchor snapshot",
  isUrgent: false,
  payload: z.object({ mint_config: z.string(), snapshot_id: z.string(), sha256: z.string() }),
  lookUp: null,

  plan: (sql, operations, issuer) =>
    planByConfig(sql, operations, issuer, ({ payload: { snapshot_id, sha256 } }, { asset }) =>
      send([memo(snapshotMemo(snapshot_id, sha256), [asset.authority])]),
    ),

  settle: null,
  settleAgain: null,
  release: null,
  memoId: ({ payload }) => payload.snapshot_id,
  effects: unclearEffects,
  rebuild: null,
  attach: null,
  recover: () => ({ do: "retry" }),
})
