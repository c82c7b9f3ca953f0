import { z } from "zod"
import { deployment } from "#domain/deployment"
import { mintEffects, recoverMintCreation } from "#domain/token-accounts"
import { defineOperation, type Plan } from "#server/ledger/index.ts"
import { createCredentialMint as instructionsOf } from "#server/solana/credential.ts"
import { operationMemo } from "#server/solana/memo.ts"
import { credentialMintOf, credentialMintPlace, loadCredentials } from "../credential-accounts.ts"

/** Creates a schema's credential mint. */
export const createCredentialMint = defineOperation({
  kind: "create_credential_mint",
  label: "Create schema",
  isUrgent: false,
  payload: z.object({ schema_id: z.string() }),
  lookUp: null,

  async plan(sql, operations, issuer) {
    const ids = operations.map(({ payload }) => payload.schema_id)
    const schemas = await loadCredentials(sql, { issuer, ids })
    return new Map(
      operations.map(({ id, payload: { schema_id } }): [string, Plan] => {
        const { name, credential } = schemas.get(schema_id)!
        const instructions = instructionsOf(credential, {
          place: credentialMintPlace(issuer.workspaceId, schema_id),
          schemaId: schema_id,
          schemaName: name,
          memoText: operationMemo(id),
          rentOf: issuer.rentOf,
        })
        return [id, { do: "send", instructions, signers: [deployment.mintBase] }]
      }),
    )
  },

  settle: null,
  settleAgain: null,
  release: null,
  memoId: ({ id }) => id,
  effects: (operations, at) =>
    mintEffects(
      operations.map(({ id, payload: { schema_id } }) => ({
        id,
        mint: credentialMintOf(at.workspaceId, schema_id),
      })),
      at,
    ),
  rebuild: null,
  recover: (error, _operation, instruction) => recoverMintCreation(error, instruction),
})
