import { z } from "zod"
import type { Queryable } from "#db/client.ts"
import { deployment } from "#domain/deployment"
import { mintEffects, recoverMintCreation } from "#domain/token-accounts"
import { authorityForNew, defineOperation, enqueue, type Plan } from "#server/ledger/index.ts"
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
  attach: null,
  recover: (error, _operation, instruction) => recoverMintCreation(error, instruction),
})

/** Enqueues the creation of a schema's credential mint, once. Later operations on the mint wait for it. */
export async function ensureCredentialMint(sql: Queryable, workspaceId: string, schemaId: string): Promise<void> {
  const mint = credentialMintOf(workspaceId, schemaId).toBase58()
  const claimed = await sql`
    update schemas set credential_mint = ${mint}, authority = ${authorityForNew(sql, workspaceId)}
    where workspace_id = ${workspaceId} and id = ${schemaId} and credential_mint is null returning id`
  if (claimed.length === 0) return
  await enqueue(sql, workspaceId, createCredentialMint, {
    payload: { schema_id: schemaId },
    writes: [mint],
    reads: [],
  })
}
