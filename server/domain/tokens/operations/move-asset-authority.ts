import { z } from "zod"
import {
  lookAtAuthorities,
  type Move,
  moveEffects,
  moveOf,
  planMove,
  recoverMove,
  type SeenAuthorities,
} from "#server/ledger/authority-move.ts"
import { defineOperation } from "#server/ledger/definition.ts"
import type { Operation } from "#server/ledger/operation.ts"
import { storedAddress } from "#server/lib/fields.ts"
import { assetMintOf } from "../asset-accounts.ts"
import { loadConfigs } from "../config.ts"
import { configIdsOf } from "../plan-by-config.ts"

const payload = z.object({ mint_config: z.string(), to: storedAddress })

/** Moves a configuration's asset mint to another key of the workspace. */
export const moveAssetAuthority = defineOperation({
  kind: "move_asset_authority",
  label: "Move token to another key",
  isUrgent: false,
  payload,
  look: (operations, at) => lookAtAuthorities(operations.map(moveOfMint), at),

  async plan(sql, operations, issuer, seen: SeenAuthorities | null) {
    const configs = await loadConfigs(sql, issuer.workspaceId, configIdsOf(operations), { lock: false })
    return new Map(
      operations.map((operation) => {
        const { authority, pausable } = configs.get(operation.payload.mint_config)!
        return [operation.id, planMove(issuer, moveOfMint(operation), { authority, pausable, seen })]
      }),
    )
  },

  async settle(sql, settled, workspaceId) {
    for (const { operation } of settled) {
      const { mint_config, to } = operation.payload
      await sql`
        update mint_configs set authority = ${to} where workspace_id = ${workspaceId} and id = ${mint_config}`
    }
  },

  settleAgain: null,
  release: null,
  memoId: ({ id }) => id,
  effects: (operations, at) => moveEffects(operations.map(moveOfMint), at),
  rebuild: null,
  recover: recoverMove,
})

const moveOfMint = (operation: Operation<z.output<typeof payload>>): Move => {
  const {
    workspaceId,
    payload: { mint_config },
  } = operation
  return moveOf(operation, assetMintOf(workspaceId, mint_config))
}
