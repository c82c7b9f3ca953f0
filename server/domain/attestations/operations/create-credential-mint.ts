import { z } from "zod"
import { defineOperation, type Plan } from "#server/ledger/definition.ts"
import { recoverMintCreation } from "#server/ledger/mint-creation.ts"
import { createCredentialMint as instructionsOf } from "#server/solana/credential.ts"
import { operationMemo } from "#server/solana/memo.ts"
import { credentialMintKey, credentialOf } from "../credential-accounts.ts"

/** Creates a schema's credential mint. */
export const createCredentialMint = defineOperation({
  kind: "create_credential_mint",
  label: "Create schema",
  payload: z.object({ schema_id: z.string() }),
  look: null,

  async plan(sql, operations, issuer) {
    const schemaIds = operations.map(({ payload }) => payload.schema_id)
    const schemas = await sql<{ id: string; name: string }[]>`
      select id, name from schemas where workspace_id = ${issuer.workspaceId} and id = any(${schemaIds})`
    const names = new Map(schemas.map((schema) => [schema.id, schema.name]))
    return new Map(
      operations.map(({ id, payload: { schema_id } }): [string, Plan] => {
        const instructions = instructionsOf(credentialOf(issuer, schema_id), {
          schemaId: schema_id,
          schemaName: names.get(schema_id) ?? schema_id,
          memoText: operationMemo(id),
          rentOf: issuer.rentOf,
        })
        return [id, { do: "send", instructions, signers: [credentialMintKey(issuer.workspaceId, schema_id)] }]
      }),
    )
  },

  settle: null,
  release: null,
  recover: (error, _operation, instruction) => recoverMintCreation(error, instruction),
})
