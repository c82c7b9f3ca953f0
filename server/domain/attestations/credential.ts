import type { Queryable } from "#db/client.ts"
import { authorityForNew, enqueue } from "#server/ledger/index.ts"
import { credentialMintOf } from "./credential-accounts.ts"
import { createCredentialMint } from "./operations/create-credential-mint.ts"

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
