import { z } from "zod"
import { authorityMove, planMoves, type SeenAuthorities } from "#domain/token-accounts"
import { defineOperation, type Operation } from "#server/ledger/index.ts"
import { storedAddress } from "#server/lib/fields.ts"
import { addressOf } from "#server/solana/addresses.ts"
import { credentialMintOf, loadCredentials } from "../credential-accounts.ts"

const payload = z.object({ schema_id: z.string(), to: storedAddress })

const mintOf = ({ workspaceId, payload: { schema_id } }: Operation<z.output<typeof payload>>) =>
  credentialMintOf(workspaceId, schema_id)

/** Moves a schema's credential mint to another key of the workspace. */
export const moveCredentialAuthority = defineOperation({
  ...authorityMove(mintOf),
  kind: "move_credential_authority",
  label: "Move schema to another key",
  payload,

  async plan(sql, operations, issuer, seen: SeenAuthorities | null) {
    const ids = operations.map((operation) => operation.payload.schema_id)
    const credentials = await loadCredentials(sql, { issuer, ids })
    const known = ({ schema_id }: z.output<typeof payload>) => ({
      authority: addressOf(credentials.get(schema_id)!.credential.authority),
      extensions: [],
    })
    return planMoves(operations, { issuer, seen, mintOf, known })
  },

  async settle(sql, settled, workspaceId) {
    for (const { payload } of settled)
      await sql`
        update schemas set authority = ${payload.to} where workspace_id = ${workspaceId} and id = ${payload.schema_id}`
  },
})
