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
import { addressOf } from "#server/solana/addresses.ts"
import { credentialMintKey, loadCredentials } from "../credential-accounts.ts"

const payload = z.object({ schema_id: z.string(), to: storedAddress })

/** Moves a schema's credential mint to another key of the workspace. */
export const moveCredentialAuthority = defineOperation({
  kind: "move_credential_authority",
  label: "Move schema to another key",
  isUrgent: false,
  payload,
  look: (operations, at) => lookAtAuthorities(operations.map(moveOfMint), at),

  async plan(sql, operations, issuer, seen: SeenAuthorities | null) {
    const ids = operations.map((operation) => operation.payload.schema_id)
    const credentials = await loadCredentials(sql, { issuer, ids })
    return new Map(
      operations.map((operation) => {
        const authority = addressOf(credentials.get(operation.payload.schema_id)!.credential.authority)
        return [operation.id, planMove(issuer, moveOfMint(operation), { authority, pausable: false, seen })]
      }),
    )
  },

  async settle(sql, settled, workspaceId) {
    for (const { operation } of settled) {
      const { schema_id, to } = operation.payload
      await sql`update schemas set authority = ${to} where workspace_id = ${workspaceId} and id = ${schema_id}`
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
    payload: { schema_id },
  } = operation
  return moveOf(operation, credentialMintKey(workspaceId, schema_id).publicKey)
}
